/** The statements that create any number of runs and take their leases. */
import { randomUUID } from 'node:crypto';
import { thisProcess } from '../../holder.ts';
import { newRunColumnNames, toColumnValues } from '../../runs/run-columns.ts';
import type { NewRun } from '../../store.ts';
import type { Row, Statement } from '../database.ts';
import { writerVersion } from '../schema/schema.ts';

export interface Beginning {
  readonly run: NewRun;
  /** More statements for the same transaction. */
  readonly extraStatements: readonly Statement[];
}

export interface BegunRow {
  readonly fence: number;
  /** Whether accounts or open reservations with the name of the run existed before. */
  readonly hasAccounts: boolean;
}

export interface BeginOptions {
  readonly leaseMs: number;
  /** The time of the new rows. `leaseAt`: the time of the lease; null: by the clock of the database. */
  readonly at: number;
  readonly leaseAt: number | null;
}

const columns = newRunColumnNames.join(', ');
/** The number of the first parameter that is an array of a column. */
const firstColumnParameter = 9;

/** Called once for each attempt: its statements, sent again, find the rows that they inserted before. */
export function beginRuns(beginnings: readonly Beginning[], { leaseMs, at, leaseAt }: BeginOptions) {
  // All processes use this order, so that transactions don't deadlock.
  const sortedRuns = beginnings.toSorted((a, b) => (a.run.id < b.run.id ? -1 : 1));
  const thisHolder = thisProcess();
  const ids = sortedRuns.map(({ run }) => run.id);
  const rows = sortedRuns.map(({ run }) => toColumnValues(run, 'server'));
  const attempt = randomUUID();
  /** Selects the runs that this attempt created. */
  const selectCreated: Statement = {
    name: 'begun runs',
    text: `SELECT run, fence, version > 1
          OR EXISTS (SELECT 1 FROM accounts WHERE id > run || '/' AND id < run || '0')
          OR EXISTS (SELECT 1 FROM reservations r WHERE r.run = leases.run AND r.state = 'open') AS loads
        FROM leases JOIN account_roots ON root = run WHERE run = ANY ($1::text[]) AND taken_by = $2`,
    values: [ids, attempt],
  };
  return {
    statements: [
      {
        name: 'begin runs',
        text: `WITH made AS (
            INSERT INTO runs (${columns}, status, created, updated)
            SELECT ${columns}, 'running', $1, $1
            FROM unnest(${newRunColumnNames.map((_, nth) => `$${firstColumnParameter + nth}::text[]`).join(', ')}) AS a (${columns}),
              store_schema WHERE oldest <= $2
            ON CONFLICT (id) DO NOTHING RETURNING id
          )
          INSERT INTO leases AS l (run, fence, host, pid, started, expires, taken_by, turn)
          SELECT id, 1, $3, $4, $5, coalesce($6::bigint, now_ms()) + $7, $8, 0 FROM made
          ON CONFLICT (run) DO UPDATE SET fence = l.fence + 1, host = excluded.host, pid = excluded.pid,
            started = excluded.started, expires = excluded.expires, taken_by = excluded.taken_by, turn = 0`,
        values: [
          ...[
            at,
            writerVersion,
            thisHolder.host,
            thisHolder.pid,
            thisHolder.started,
            leaseAt,
            leaseMs,
            attempt,
          ],
          ...newRunColumnNames.map((_, nth) => rows.map((row) => row[nth])),
        ],
      },
      // A new version, so that another process that is changing these accounts decides again.
      {
        name: 'take own accounts of new runs',
        text: `INSERT INTO account_roots AS r (root, version)
          SELECT run, 1 FROM leases WHERE run = ANY ($1::text[]) AND taken_by = $2
          ON CONFLICT (root) DO UPDATE SET version = r.version + 1`,
        values: [ids, attempt],
      },
      ...sortedRuns.flatMap(({ extraStatements }) => extraStatements),
    ] satisfies readonly Statement[],
    made: selectCreated,
    read: (begun: readonly Row[]): ReadonlyMap<string, BegunRow> =>
      new Map(
        begun.map(({ run, fence, loads: hasAccounts }) => [
          String(run),
          { fence: Number(fence), hasAccounts: hasAccounts === true },
        ]),
      ),
  };
}
