import type { Clock } from '../../core/index.ts';
import type { Actor } from '../audit.ts';
import type { Database, Row } from '../database.ts';
import type { Engine } from '../engine.ts';
import { recordAct } from '../sqlite/sqlite-writes.ts';
import type { NewRun, RunRow } from '../store.ts';
import { createRunRemoval } from './remove-run.ts';
import { newRunColumnNames, readRun, toColumnValues } from './run-columns.ts';
import { createUnfinishedRunError, requireSingleMatch, runExistsError } from './run-rules.ts';
import type { Leases } from './sqlite-leases.ts';

/** `updated` is at least the time of the run's last event. */
const columns = `${newRunColumnNames.join(', ')}, status, created,
  max(updated, coalesce((SELECT at FROM events WHERE run = runs.id ORDER BY seq DESC LIMIT 1), 0)) AS updated`;

export function sqliteRuns(
  db: Database,
  leases: Pick<Leases, 'hasLiveHolder' | 'holder'>,
  clock: Clock,
): Engine['runs'] & { readonly insertRun: (run: NewRun, by?: Actor) => RunRow } {
  function get(id: string): RunRow {
    const exactMatch = db.get(`SELECT ${columns} FROM runs WHERE id = ?`, id);
    if (exactMatch !== undefined) return toRunRow(exactMatch);
    const sql = `SELECT ${columns} FROM runs WHERE substr(id, 1, length(?1)) = ?1 ORDER BY id LIMIT 3`;
    const matches = (id === '' ? [] : db.all(sql, id)).map(toRunRow);
    const only = requireSingleMatch(
      id,
      matches.map((row) => row.id),
      db.path,
    );
    return matches.find((row) => row.id === only)!;
  }

  function requireFinished(id: string): RunRow {
    const run = get(id);
    if (run.status === 'finished' && !leases.hasLiveHolder(run.id)) return run;
    throw createUnfinishedRunError(run.id);
  }

  function insertRun(run: NewRun, by?: Actor): RunRow {
    const now = clock.now();
    const sql = `
      INSERT INTO runs (${newRunColumnNames.join(', ')}, status, created, updated)
      VALUES (${newRunColumnNames.map(() => '?').join(', ')}, 'running', ?, ?) ON CONFLICT (id) DO NOTHING`;
    const { id } = run;
    db.atomic(() => {
      if (db.run(sql, ...toColumnValues(run, 'file'), now, now) === 0) throw runExistsError(id);
      recordAct(db, by, { act: 'run_started', on: id }, now);
    });
    return get(id);
  }

  return {
    insertRun,
    create: async (run, by) => insertRun(run, by),
    get: async (id) => get(id),
    list: async (limit = 50) =>
      db.all(`SELECT ${columns} FROM runs ORDER BY created DESC, id DESC LIMIT ?`, limit).map(toRunRow),
    isHeld: async (id) => leases.hasLiveHolder(get(id).id),
    holder: async (id) => leases.holder(get(id).id),
    async prune(id) {
      db.atomic(() => {
        const run = requireFinished(id);
        db.run('DELETE FROM journal WHERE run = ?', run.id);
        db.run('DELETE FROM snapshots WHERE run = ?', run.id);
        db.run(`DELETE FROM reservations WHERE run = ? AND state <> 'open'`, run.id);
        db.run(
          `DELETE FROM events WHERE run = ?1 AND seq > 1
           AND seq < (SELECT max(seq) FROM events WHERE run = ?1)`,
          run.id,
        );
      });
    },
    ...createRunRemoval(db, { get, requireFinished: requireFinished, clock }),
  };
}

const toRunRow = (row: Row): RunRow => readRun(row, 'file');
