/** Which runs this store may write to, and under which fence. */
import { leaseLost } from '../core/index.ts';
import { type Collected, collectedIn, type Hold } from './collected.ts';
import type { Database } from './database.ts';
import type { Leases } from './leases.ts';
import type { Lease } from './store.ts';

export interface Holds {
  readonly collected: Collected;
  /** The lease was taken by this store. */
  taken(lease: Lease): void;
  released(lease: Lease): void;
  /** That of a lease, whoever took it. */
  of(lease: Pick<Lease, 'run' | 'fence'>): Hold;
  /** The one under which this store writes for the run; undefined where it has none, or knows that it was lost. */
  own(run: string): Hold | undefined;
  /** Throws `lease_lost` where it had one and has lost it. */
  checkLost(run: string): void;
  /** Is it another worker's to write for the run? */
  elsewhere(run: string): boolean;
}

export function holdsIn(db: Database, leases: () => Leases): Holds {
  const holds = new WeakMap<object, Hold>();
  const own = new Map<string, Hold>();

  function of(lease: Pick<Lease, 'run' | 'fence'>): Hold {
    const known = holds.get(lease);
    if (known !== undefined) return known;
    const fresh: Hold = { run: lease.run, fence: lease.fence, ended: false };
    holds.set(lease, fresh);
    return fresh;
  }

  return {
    collected: collectedIn(db, (hold) => leases().isHeld(hold)),
    taken(lease) {
      own.set(lease.run, of(lease));
    },
    released(lease) {
      const hold = of(lease);
      hold.ended = true;
      if (own.get(lease.run) === hold) own.delete(lease.run);
    },
    of,
    own(run) {
      const hold = own.get(run);
      return hold?.ended === false ? hold : undefined;
    },
    checkLost(run) {
      if (own.get(run)?.ended === true) leaseLost(run, own.get(run)!.fence);
    },
    elsewhere: (run) => leases().isHeldElsewhere(run, own.get(run)?.fence),
  };
}
