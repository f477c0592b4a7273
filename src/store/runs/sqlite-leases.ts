import type { Clock } from '../../core/index.ts';
import { throwLeaseLost } from '../../core/pools.ts';
import type { Database, Row } from '../database.ts';
import { checkLiveness, type Holder, thisProcess } from '../holder.ts';
import type { Lease } from '../store.ts';
import { leaseHeldError } from './run-rules.ts';

type LeaseKey = Pick<Lease, 'run' | 'fence'>;

export interface Leases {
  /** Takes the lease and returns its fence. Throws `run_state` while a holder is alive. */
  acquire(run: string): number;
  hasLiveHolder(run: string): boolean;
  /** Null if the lease was released or has expired, or if the holder's process is dead. */
  holder(run: string): Holder | null;
  /** The latest fence; 0 if there was none. */
  fence(run: string): number;
  /** Throws `lease_lost` if the lease is not held. Call it in `db.atomic`. */
  check(lease: LeaseKey): void;
  /** Whether the lease is the latest of its run, and not released. */
  isHeld(lease: LeaseKey): boolean;
  /** Whether the run has a holder that may be alive, even if its lease has run out. */
  mayBeHeld(run: string): boolean;
  /** Throws `lease_lost`. */
  renew(lease: LeaseKey): void;
  release(lease: LeaseKey): void;
  releaseAll(): void;
}

export interface LeaseOptions {
  readonly clock: Clock;
  /** Milliseconds that a lease lasts without renewal. */
  readonly leaseMs: number;
}

export function sqliteLeases(db: Database, { clock, leaseMs }: LeaseOptions): Leases {
  const thisHolder = thisProcess();
  /** The fences of leases that this process has taken, by run. */
  const fences = new Map<string, number>();

  function isLive(row: Row | undefined): row is Row {
    if (row === undefined || row['host'] === null) return false;
    return Number(row['expires']) > clock.now() && checkLiveness(toHolder(row)) !== 'dead';
  }

  function read(run: string): Row | undefined {
    return db.get('SELECT * FROM leases WHERE run = ?', run);
  }

  function isHeld({ run, fence }: LeaseKey): boolean {
    const sql = 'SELECT 1 FROM leases WHERE run = ? AND fence = ? AND host IS NOT NULL';
    return db.get(sql, run, fence) !== undefined;
  }

  function renew({ run, fence }: LeaseKey): void {
    const sql = 'UPDATE leases SET expires = ? WHERE run = ? AND fence = ? AND host IS NOT NULL';
    if (db.run(sql, clock.now() + leaseMs, run, fence) === 0) throwLeaseLost(run, fence);
  }

  function release({ run, fence }: LeaseKey): void {
    // A transaction also stores the writes that are buffered under this lease.
    db.atomic(() => db.run('UPDATE leases SET host = NULL WHERE run = ? AND fence = ?', run, fence));
    if (fences.get(run) === fence) fences.delete(run);
  }

  return {
    acquire(run) {
      return db.atomic(() => {
        const previousRow = read(run);
        if (isLive(previousRow)) throw leaseHeldError(run, toHolder(previousRow).pid);
        const fence = Number(previousRow?.['fence'] ?? 0) + 1;
        db.run(
          `INSERT INTO leases (run, fence, host, pid, started, expires) VALUES (?, ?, ?, ?, ?, ?)
           ON CONFLICT (run) DO UPDATE SET fence = excluded.fence, host = excluded.host, pid = excluded.pid,
             started = excluded.started, expires = excluded.expires`,
          run,
          fence,
          thisHolder.host,
          thisHolder.pid,
          thisHolder.started,
          clock.now() + leaseMs,
        );
        fences.set(run, fence);
        return fence;
      });
    },
    hasLiveHolder: (run) => isLive(read(run)),
    holder(run) {
      const row = read(run);
      return isLive(row) ? toHolder(row) : null;
    },
    fence: (run) => Number(read(run)?.['fence'] ?? 0),
    check(lease) {
      if (!isHeld(lease)) throwLeaseLost(lease.run, lease.fence);
    },
    isHeld,
    mayBeHeld(run) {
      const row = read(run);
      return row !== undefined && row['host'] !== null && checkLiveness(toHolder(row)) !== 'dead';
    },
    renew,
    release,
    releaseAll() {
      for (const [run, fence] of fences) release({ run, fence });
    },
  };
}

function toHolder(row: Row): Holder {
  return { host: String(row['host']), pid: Number(row['pid']), started: String(row['started']) };
}
