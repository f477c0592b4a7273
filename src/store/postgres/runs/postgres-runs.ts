/** The runs in PostgreSQL. */
import { isDeepStrictEqual } from 'node:util';
import { type Clock, isSondeError, type SondeError } from '../../../core/index.ts';
import type { Engine } from '../../engine.ts';
import { createRunRow, newRunColumnNames, readRun, toColumnValues } from '../../runs/run-columns.ts';
import {
  createUnfinishedRunError,
  payingRunError,
  requireSingleMatch,
  runExistsError,
} from '../../runs/run-rules.ts';
import type { RunRow } from '../../store.ts';
import type { PostgresDatabase, Row, Statement } from '../database.ts';
import { writerVersion } from '../schema/schema.ts';
import { raisedCodes, storeTooNewError } from '../store-errors.ts';
import { type AuditCondition, recordAct } from '../team/postgres-audit.ts';
import type { PostgresLeases } from './postgres-leases.ts';

/** `updated` is at least the time of the run's last event. */
const columns = `${newRunColumnNames.join(', ')}, status, created,
  greatest(updated, coalesce((SELECT at FROM events WHERE run = runs.id ORDER BY seq DESC LIMIT 1), 0)) AS updated`;

export interface PostgresRunsPorts {
  readonly clock: Clock;
  readonly leases: PostgresLeases;
  /** Stores the waiting writes. Called before every other write. */
  readonly keepWaiting: () => Promise<void>;
  /** Only runs of this team are listed and found. */
  readonly runsOf?: string;
}

type PostgresRuns = Engine['runs'] & {
  /** The error for a run that could not be created. */
  readonly createRefusal: (id: string) => Promise<SondeError>;
};

export function postgresRuns(
  db: PostgresDatabase,
  { clock, leases, keepWaiting, runsOf }: PostgresRunsPorts,
): PostgresRuns {
  const [nameSuffix, teamCondition] = runsOf === undefined ? ['', 'true'] : [' of a team', 'team = $2'];
  const teamValues = runsOf === undefined ? [] : [runsOf];
  const find = (id: string): Promise<readonly Row[]> =>
    db.ask({
      name: `run${nameSuffix}`,
      text: `SELECT ${columns} FROM runs WHERE id = $1 AND ${teamCondition}
        UNION ALL (SELECT ${columns} FROM runs
          WHERE $1 <> '' AND starts_with(id, $1) AND id > $1 AND id < $1 || chr(1114111) AND ${teamCondition} ORDER BY id LIMIT 3)`,
      values: [id, ...teamValues],
    });

  async function get(id: string): Promise<RunRow> {
    const rows = (await find(id)).map(toRunRow);
    const exact = rows.find((row) => row.id === id);
    if (exact !== undefined) return exact;
    const only = requireSingleMatch(
      id,
      rows.map((row) => row.id),
      db.path,
    );
    return rows.find((row) => row.id === only)!;
  }

  const holder = async (id: string) => leases.findLiveHolder(await leases.read((await get(id)).id));

  /** Sends the statements in one transaction, which checks that the run is finished and not held. */
  async function transactIfFinished(id: string, work: readonly Statement[]): Promise<void> {
    const deadHolder = leases.findDeadHolder(await leases.read(id));
    await db.transact([leases.requireOver(id, deadHolder), ...work], (code) => {
      if (code === raisedCodes.notOver) throw createUnfinishedRunError(id);
    });
  }

  const toStatements = (run: string, texts: readonly string[]): readonly Statement[] =>
    texts.map((text) => ({ name: text.slice(0, 60), text, values: [run] }));

  return {
    async createRefusal(id) {
      const exists = (await find(id)).some((row) => row['id'] === id);
      return exists ? runExistsError(id) : storeTooNewError();
    },
    async create(run, by) {
      await keepWaiting();
      const now = clock.now();
      const { id } = run;
      const values = toColumnValues(run, 'server');
      const [at, version] = [values.length + 1, values.length + 2];
      const [, rows] = await db.transact([
        {
          name: 'create a run',
          text: `INSERT INTO runs (${newRunColumnNames.join(', ')}, status, created, updated)
            SELECT ${values.map((_, nth) => `$${nth + 1}`).join(', ')}, 'running', $${at}, $${at}
            FROM store_schema WHERE oldest <= $${version}
            ON CONFLICT (id) DO NOTHING`,
          values: [...values, now, writerVersion],
        },
        { name: 'own run', text: `SELECT ${columns} FROM runs WHERE id = $1`, values: [id] },
        ...recordAct(by, { act: 'run_started', on: id }, createMadeCondition(id, JSON.stringify(run.params))),
      ]);
      const row = rows!.map(toRunRow)[0];
      if (row === undefined) throw storeTooNewError();
      // An equal row, with the same times, was inserted by this call: its answer was lost.
      if (isDeepStrictEqual(row, createRunRow(run, now))) return row;
      throw runExistsError(id);
    },
    get,
    async list(limit = 50) {
      const text = `SELECT ${columns} FROM runs WHERE ${teamCondition} ORDER BY created DESC, id DESC LIMIT $1`;
      return (await db.ask({ name: `runs${nameSuffix}`, text, values: [limit, ...teamValues] })).map(
        toRunRow,
      );
    },
    isHeld: async (id) => (await holder(id)) !== null,
    holder,
    async prune(id) {
      await keepWaiting();
      const run = (await get(id)).id;
      await transactIfFinished(
        run,
        toStatements(run, [
          'DELETE FROM journal WHERE run = $1',
          'DELETE FROM snapshots WHERE run = $1',
          `DELETE FROM reservations WHERE run = $1 AND state <> 'open'`,
          `DELETE FROM events WHERE run = $1 AND seq > 1 AND seq < (SELECT max(seq) FROM events WHERE run = $1)`,
        ]),
      );
    },
    async size(id) {
      const rows = await db.ask({
        name: 'size of a run',
        text: `SELECT
          (SELECT coalesce(sum(length(event) + length(key)), 0) FROM events WHERE run = $1) +
          (SELECT coalesce(sum(length(value) + length(key)), 0) FROM journal WHERE run = $1) +
          (SELECT coalesce(sum(length(bytes)), 0) FROM snapshots WHERE run = $1) AS bytes`,
        values: [(await get(id)).id],
      });
      return Number(rows[0]!['bytes']);
    },
    async remove(id, by) {
      await keepWaiting();
      const run = (await get(id)).id;
      const [paidRun] = await db.ask({
        name: 'paid from a run',
        text: `SELECT r.run FROM reservations r LEFT JOIN runs ON runs.id = r.run
          WHERE account IN ${accountsOfRun} AND (r.state = 'open' OR (r.run <> $1 AND runs.status = 'running')) LIMIT 1`,
        values: [run],
      });
      const removal = [
        ...recordAct(by, { act: 'run_removed', on: run }),
        ...toStatements(run, [
          `DELETE FROM reservations WHERE run = $1 OR account IN ${accountsOfRun}`,
          `DELETE FROM balances WHERE account IN ${accountsOfRun}`,
          `DELETE FROM accounts WHERE id IN ${accountsOfRun}`,
          'DELETE FROM account_roots WHERE root = $1',
          ...['events', 'journal', 'snapshots', 'leases'].map(
            (table) => `DELETE FROM ${table} WHERE run = $1`,
          ),
          'DELETE FROM runs WHERE id = $1',
        ]),
      ];
      if (paidRun === undefined) {
        await transactIfFinished(run, removal).catch(async (thrown) => {
          // The answer was lost, and the repeated statement found no run.
          if (isSondeError(thrown, 'run_state') && (await find(run)).length === 0) return;
          throw thrown;
        });
        return;
      }
      await transactIfFinished(run, []);
      throw payingRunError(run, String(paidRun['run']));
    },
    // The server reclaims space by itself.
    compact: async () => true,
  };
}

/** True if this transaction has inserted the run. */
export const createMadeCondition = (id: string, params: string): AuditCondition => ({
  name: 'own run',
  test: 'EXISTS (SELECT 1 FROM runs WHERE id = $1::text AND params = $2::text AND xmin = pg_current_xact_id()::xid)',
  values: [id, params],
});

/** The account with the name of the run, and those whose names begin with that name and a slash. */
const accountsOfRun = `(SELECT id FROM accounts WHERE id = $1 OR starts_with(id, $1 || '/'))`;

const toRunRow = (row: Row): RunRow => readRun(row, 'server');
