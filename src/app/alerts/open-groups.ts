/** The database of the alerts: a file beside that of the runs, into which an older version had written them. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isSondeError, systemClock } from '../../core/index.ts';
import { type Database, openDatabase, type Store, thisProcess } from '../../store/index.ts';
import { type AlertGroups, alertGroups } from './groups.ts';
import { alertsSchema } from './schema.ts';

/** How long to wait for another process that writes. Milliseconds. */
const busyMs = 60_000;

/** `runs` is the file of the runs. Throws what an unusable database throws. */
export function openAlerts(runs: string): Database {
  const db = openDatabase({ path: join(dirname(runs), 'alerts.db'), schemas: [alertsSchema], busyMs });
  try {
    takeOver(db, runs);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

export const openGroups = (db: Database, isHeld: (run: string) => boolean = () => false): AlertGroups =>
  alertGroups({ db, clock: systemClock, holder: thisProcess(), isHeld });

/** Whether somebody works on a run; on one that is gone nobody does. */
export const heldIn =
  (store: Pick<Store, 'runs'>) =>
  (run: string): boolean =>
    isKnown(store, run) && store.runs.held(run);

/** Whether there is a run of this id. */
export function isKnown({ runs }: Pick<Store, 'runs'>, run: string): boolean {
  try {
    return runs.get(run).id === run;
  } catch (thrown) {
    if (isSondeError(thrown, 'not_found')) return false;
    throw thrown;
  }
}

/** Once, at the first opening. Numbers stay; killed in between, it is done again, and nothing is there twice. */
function takeOver(db: Database, runs: string): void {
  const isDone = (): boolean => db.get('SELECT 1 FROM alert_sources') !== undefined;
  if (isDone()) return;
  const old = existsSync(runs) ? openDatabase({ path: runs, schemas: [], busyMs }) : null;
  try {
    const has = old?.get("SELECT 1 FROM sqlite_schema WHERE name = 'alert_groups'") !== undefined;
    db.atomic(() => {
      if (isDone()) return;
      if (old !== null && has) copied(old, db);
      db.run('INSERT INTO alert_sources (path) VALUES (?)', runs);
    });
    if (!has) return;
    old?.atomic(() => {
      old.run('DELETE FROM alerts');
      old.run('DELETE FROM alert_groups');
    });
  } finally {
    old?.close();
  }
}

const kept = {
  alert_groups: 'id, name, state, run, attempts, opened, updated',
  alerts: 'id, alert_group, fingerprint, received, sent',
} as const;

function copied(from: Database, to: Database): void {
  for (const [table, columns] of Object.entries(kept)) {
    const places = columns.replace(/\w+/g, '?');
    for (const row of from.each(`SELECT ${columns} FROM ${table}`))
      to.run(`INSERT INTO ${table} (${columns}) VALUES (${places})`, ...Object.values(row));
  }
}
