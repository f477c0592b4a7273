/** The database of the alerts: a file of its own. Earlier versions kept alerts in the file of the runs. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isSondeError } from '../../core/index.ts';
import { type Database, openDatabase, type Row, type Store } from '../../store/index.ts';
import { type GroupPayload, groupTopic } from './groups.ts';
import { alertsSchema } from './schema.ts';

/** How long to wait while another process writes. Milliseconds. */
const busyMs = 60_000;

/** `runs` is the path of the runs' file. Throws the errors of `openDatabase`. */
export function openAlerts(runs: string): Database {
  const db = openDatabase({ path: join(dirname(runs), 'alerts.db'), schemas: [alertsSchema], busyMs });
  try {
    copyOldAlerts(db, runs);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Whether there is a run with this id. */
export async function isKnown({ runs }: Pick<Store, 'runs'>, run: string): Promise<boolean> {
  try {
    return (await runs.get(run)).id === run;
  } catch (thrown) {
    if (isSondeError(thrown, 'not_found')) return false;
    throw thrown;
  }
}

/**
 * Copies alerts from the file of the runs once, at the first opening, and keeps their ids. If the process is killed
 * meanwhile, the copy starts again without storing anything twice.
 */
function copyOldAlerts(db: Database, runs: string): void {
  const isDone = (): boolean => db.get('SELECT 1 FROM alert_sources') !== undefined;
  if (isDone()) return;
  const runsDatabase = existsSync(runs) ? openDatabase({ path: runs, schemas: [], busyMs }) : null;
  try {
    const hasGroups =
      runsDatabase?.get("SELECT 1 FROM sqlite_schema WHERE name = 'alert_groups'") !== undefined;
    db.atomic(() => {
      if (isDone()) return;
      if (runsDatabase !== null && hasGroups) copyGroups(runsDatabase, db);
      db.run('INSERT INTO alert_sources (path) VALUES (?)', runs);
    });
    if (!hasGroups) return;
    runsDatabase?.atomic(() => {
      runsDatabase.run('DELETE FROM alerts');
      runsDatabase.run('DELETE FROM alert_groups');
    });
  } finally {
    runsDatabase?.close();
  }
}

/** Groups under investigation wait again: the old file does not say which process worked on them. */
function copyGroups(source: Database, target: Database): void {
  const groups = `SELECT id, name, state, run, opened, updated,
    (SELECT sent FROM alerts WHERE alert_group = g.id ORDER BY id LIMIT 1) AS sent FROM alert_groups g`;
  for (const row of source.each(groups)) copyGroup(row, target);
  for (const row of source.each('SELECT id, alert_group, fingerprint, received, sent FROM alerts'))
    target.run(
      'INSERT INTO alerts (id, alert_group, fingerprint, received, sent) VALUES (?, ?, ?, ?, ?)',
      ...Object.values(row),
    );
}

function copyGroup({ id, name, state, run, opened, updated, sent }: Row, target: Database): void {
  const payload: GroupPayload = { title: null, sent: sent === null ? null : String(sent) };
  target.run(
    `INSERT INTO queue_jobs (id, topic, key, in_turn, priority, due, payload, state, kept, created, updated)
     VALUES (?, ?, ?, 0, 0, ?, ?, ?, ?, ?, ?)`,
    id!,
    groupTopic,
    name!,
    opened!,
    JSON.stringify(payload),
    state === 'running' ? 'waiting' : state!,
    run === null ? null : JSON.stringify({ run }),
    opened!,
    updated!,
  );
}
