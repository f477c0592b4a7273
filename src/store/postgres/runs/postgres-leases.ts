/** Leases in PostgreSQL. They use the clock of the database, so that the clocks of machines need not agree. */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../core/index.ts';
import { checkLiveness, type Holder, thisProcess } from '../../holder.ts';
import type { Lease } from '../../store.ts';
import type { PostgresDatabase, Row, Statement } from '../database.ts';
import { writerVersion } from '../schema/schema.ts';

export interface LeaseOptions {
  readonly leaseMs: number;
  /** Replaces the clock of the database in tests. */
  readonly clock?: Clock;
}

type LeaseKey = Pick<Lease, 'run' | 'fence'>;

export function postgresLeases(db: PostgresDatabase, { leaseMs, clock }: LeaseOptions) {
  const me = thisProcess();
  const now = (): number | null => clock?.now() ?? null;

  const selectLease = (run: string): Statement => ({
    name: 'lease',
    text: `SELECT *, expires > coalesce($2::bigint, now_ms()) AS timely FROM leases WHERE run = $1`,
    values: [run, now()],
  });

  /** The holder of a lease, if it ran on this machine and its process is gone; otherwise null. */
  const findDeadHolder = (row: Row | undefined): Holder | null => {
    const holder = row === undefined || row['host'] === null ? null : toHolder(row);
    return holder !== null && checkLiveness(holder) === 'dead' ? holder : null;
  };

  const release = (holds: readonly LeaseKey[]): Statement => ({
    name: 'release leases',
    text: `UPDATE leases SET host = NULL FROM unnest($1::text[], $2::bigint[]) AS a (run, fence)
        WHERE leases.run = a.run AND leases.fence = a.fence`,
    values: [holds.map(({ run }) => run), holds.map(({ fence }) => fence)],
  });

  return {
    selectLease,
    findDeadHolder,
    /** The holder, if it may be alive and has renewed the lease in time; otherwise null. */
    findLiveHolder: (row: Row | undefined): Holder | null =>
      row !== undefined && row['host'] !== null && row['timely'] === true && findDeadHolder(row) === null
        ? toHolder(row)
        : null,
    /** Whether the run has a holder that may be alive, even if its lease has run out. */
    mayBeHeld: (row: Row | undefined): boolean =>
      row !== undefined && row['host'] !== null && findDeadHolder(row) === null,
    /**
     * Takes a lease and returns its fence; no row while a holder is alive. A repeated statement finds its own lease.
     * `dead`: a holder that is known to be gone.
     */
    take(run: string, dead: Holder | null): Statement {
      return {
        name: 'take a lease',
        text: `INSERT INTO leases AS l (run, fence, host, pid, started, expires, taken_by, turn)
          VALUES ($1, 1, $2, $3, $4, coalesce($5::bigint, now_ms()) + $6, $7, 0)
          ON CONFLICT (run) DO UPDATE SET
            fence = CASE WHEN l.taken_by = excluded.taken_by THEN l.fence ELSE l.fence + 1 END,
            host = excluded.host, pid = excluded.pid, started = excluded.started, expires = excluded.expires,
            taken_by = excluded.taken_by, turn = 0
          WHERE CASE WHEN l.taken_by = excluded.taken_by THEN l.host IS NOT NULL
            ELSE l.host IS NULL OR l.expires <= coalesce($5::bigint, now_ms())
              OR coalesce(l.host = $8 AND l.pid = $9 AND l.started = $10, false) END
          RETURNING fence`,
        values: [
          ...[run, me.host, me.pid, me.started, now(), leaseMs, randomUUID()],
          ...[dead?.host ?? null, dead?.pid ?? null, dead?.started ?? null],
        ],
      };
    },
    renew: (run: string, fence: number): Statement => ({
      name: 'renew a lease',
      text: `UPDATE leases SET expires = coalesce($3::bigint, now_ms()) + $4
        WHERE run = $1 AND fence = $2 AND host IS NOT NULL RETURNING fence`,
      values: [run, fence, now(), leaseMs],
    }),
    release,
    /** Releases leases as this process ends; those that can't be released expire. `taken`: fences by run. */
    async releaseAll(taken: ReadonlyMap<string, number>): Promise<void> {
      if (taken.size === 0) return;
      const held = [...taken].map(([run, fence]) => ({ run, fence }));
      await db.ask(release(held)).catch(() => {});
    },
    /** The first statement of each transaction under the lease, so that all transactions lock in the same order. */
    require: (run: string, fence: number): Statement => ({
      name: 'require a lease',
      text: 'SELECT require_lease($1, $2, $3)',
      values: [run, fence, writerVersion],
    }),
    requireOver: (run: string, dead: Holder | null): Statement => ({
      name: 'require over',
      text: 'SELECT require_over($1, $2, $3, $4, $5, $6)',
      values: [run, dead?.host ?? null, dead?.pid ?? null, dead?.started ?? null, now(), writerVersion],
    }),
    read: async (run: string): Promise<Row | undefined> => (await db.ask(selectLease(run)))[0],
  };
}

export type PostgresLeases = ReturnType<typeof postgresLeases>;

const toHolder = (row: Row): Holder => ({
  host: String(row['host']),
  pid: Number(row['pid']),
  started: String(row['started']),
});
