import { type Clock, leaseLost, SondeError } from '../core/index.ts';
import type { Database, Row } from './database.ts';
import { type Holder, lifeOf, thisProcess } from './holder.ts';
import type { Lease } from './store.ts';

export interface Leases {
  acquire(run: string): Lease;
  held(run: string): boolean;
  /** That of the last holder; 0 where there was none. */
  fence(run: string): number;
  /** Throws `lease_lost` where the lease is given back or another one is newer. To be called in `db.atomic`. */
  check(lease: Pick<Lease, 'run' | 'fence'>): void;
  /** Whether `check` would pass. */
  isHeld(lease: Pick<Lease, 'run' | 'fence'>): boolean;
  /** Has somebody the run under another fence, who may be alive, however late? */
  isHeldElsewhere(run: string, fence: number | undefined): boolean;
  /** Throws `lease_lost`. */
  renew(lease: Pick<Lease, 'run' | 'fence'>): void;
  releaseAll(): void;
}

export interface LeaseOptions {
  readonly clock: Clock;
  /** How long a lease lasts unless it is renewed, in milliseconds. */
  readonly leaseMs: number;
  readonly released?: (lease: Lease) => void;
}

export function sqliteLeases(db: Database, { clock, leaseMs, released }: LeaseOptions): Leases {
  const me = thisProcess();
  const taken = new Set<Lease>();

  function alive(row: Row | undefined): row is Row {
    if (row === undefined || row['host'] === null) return false;
    return Number(row['expires']) > clock.now() && lifeOf(holderOf(row)) !== 'dead';
  }

  function read(run: string): Row | undefined {
    return db.get('SELECT * FROM leases WHERE run = ?', run);
  }

  function isHeld({ run, fence }: Pick<Lease, 'run' | 'fence'>): boolean {
    const row = read(run);
    return row !== undefined && row['host'] !== null && row['fence'] === fence;
  }

  function renew({ run, fence }: Pick<Lease, 'run' | 'fence'>): void {
    const sql = 'UPDATE leases SET expires = ? WHERE run = ? AND fence = ? AND host IS NOT NULL';
    db.atomic(() => {
      if (db.run(sql, clock.now() + leaseMs, run, fence) === 0) leaseLost(run, fence);
    });
  }

  function release(own: Lease): void {
    const { run, fence } = own;
    // Along with all that waits to be written under it.
    db.atomic(() => db.run('UPDATE leases SET host = NULL WHERE run = ? AND fence = ?', run, fence));
    taken.delete(own);
    released?.(own);
  }

  function lease(run: string, fence: number): Lease {
    const own: Lease = Object.freeze({
      run,
      fence,
      renew: async () => renew(own),
      release: async () => release(own),
    });
    taken.add(own);
    return own;
  }

  return {
    acquire(run) {
      return db.atomic(() => {
        const before = read(run);
        if (alive(before)) throw held(run, holderOf(before));
        const fence = Number(before?.['fence'] ?? 0) + 1;
        db.run(
          `INSERT INTO leases (run, fence, host, pid, started, expires) VALUES (?, ?, ?, ?, ?, ?)
           ON CONFLICT (run) DO UPDATE SET fence = excluded.fence, host = excluded.host, pid = excluded.pid,
             started = excluded.started, expires = excluded.expires`,
          run,
          fence,
          me.host,
          me.pid,
          me.started,
          clock.now() + leaseMs,
        );
        return lease(run, fence);
      });
    },
    held: (run) => alive(read(run)),
    fence: (run) => Number(read(run)?.['fence'] ?? 0),
    check(lease) {
      if (!isHeld(lease)) leaseLost(lease.run, lease.fence);
    },
    isHeld,
    isHeldElsewhere(run, fence) {
      const row = read(run);
      if (row === undefined || row['host'] === null || row['fence'] === fence) return false;
      return lifeOf(holderOf(row)) !== 'dead';
    },
    renew,
    releaseAll() {
      for (const own of taken) release(own);
    },
  };
}

function holderOf(row: Row): Holder {
  return { host: String(row['host']), pid: Number(row['pid']), started: String(row['started']) };
}

function held(run: string, { pid }: Holder): SondeError {
  return new SondeError('run_state', {
    message: `Process ${pid} is working on ${run}`,
    remedy: 'Wait for it to end, or end it, and try again.',
    details: { run, pid },
  });
}
