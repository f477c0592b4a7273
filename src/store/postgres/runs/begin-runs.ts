/** The statements that make new runs and take their leases, as many as are wanted at once. */
import { randomUUID } from 'node:crypto';
import { thisProcess } from '../../holder.ts';
import type { NewRun } from '../../store.ts';
import type { Row, Statement } from '../database.ts';
import { writerVersion } from '../schema/schema.ts';

export interface Beginning {
  readonly run: NewRun;
  /** As in the row. */
  readonly params: string;
  /** What belongs to the same transaction. */
  readonly besides: readonly Statement[];
}

export interface BegunRow {
  readonly fence: number;
  /** Whether there were accounts or open reservations of this name before the run was made. */
  readonly loads: boolean;
}

export interface BeginOptions {
  readonly leaseMs: number;
  /** The time of the rows; and of the lease, null: the database's own. */
  readonly at: number;
  readonly leaseAt: number | null;
}

/** Made once for each try: sent again, its statements find what they made before. */
export function beginRuns(beginnings: readonly Beginning[], { leaseMs, at, leaseAt }: BeginOptions) {
  // In one order, so that no two transactions wait for each other.
  const all = beginnings.toSorted((a, b) => (a.run.id < b.run.id ? -1 : 1));
  const me = thisProcess();
  const ids = all.map(({ run }) => run.id);
  const attempt = randomUUID();
  /** Answers with the runs that this attempt made. */
  const made: Statement = {
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
            INSERT INTO runs (id, shape, question, root, params, status, created, updated)
            SELECT id, shape, question, root, params, 'running', $6, $6
            FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) AS a (id, shape, question, root, params),
              store_schema WHERE oldest <= $7
            ON CONFLICT (id) DO NOTHING RETURNING id
          )
          INSERT INTO leases AS l (run, fence, host, pid, started, expires, taken_by, turn)
          SELECT id, 1, $8, $9, $10, coalesce($11::bigint, now_ms()) + $12, $13, 0 FROM made
          ON CONFLICT (run) DO UPDATE SET fence = l.fence + 1, host = excluded.host, pid = excluded.pid,
            started = excluded.started, expires = excluded.expires, taken_by = excluded.taken_by, turn = 0`,
        values: [
          ids,
          all.map(({ run }) => run.shape),
          all.map(({ run }) => JSON.stringify(run.question)),
          all.map(({ run }) => run.root),
          all.map(({ params }) => params),
          ...[at, writerVersion, me.host, me.pid, me.started, leaseAt, leaseMs, attempt],
        ],
      },
      // A process that is just changing these accounts finds a newer version, and decides again.
      {
        name: 'take own accounts of new runs',
        text: `INSERT INTO account_roots AS r (root, version)
          SELECT run, 1 FROM leases WHERE run = ANY ($1::text[]) AND taken_by = $2
          ON CONFLICT (root) DO UPDATE SET version = r.version + 1`,
        values: [ids, attempt],
      },
      ...all.flatMap(({ besides }) => besides),
    ] satisfies readonly Statement[],
    made,
    read: (rows: readonly Row[]): ReadonlyMap<string, BegunRow> =>
      new Map(
        rows.map(({ run, fence, loads }) => [String(run), { fence: Number(fence), loads: loads === true }]),
      ),
  };
}
