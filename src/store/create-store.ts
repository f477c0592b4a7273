/** Creates a store on any engine. */
import { type Clock, type Ledger, SondeError } from '../core/index.ts';
import { ledgerFromRows, throwLeaseLost } from '../core/pools.ts';
import type { Engine, LoadedRun } from './engine.ts';
import type { RunHold } from './outbox.ts';
import { createHeldRows } from './runs/held-accounts.ts';
import { createHeldRun, createRecall, type HeldRun } from './runs/held-runs.ts';
import type { Lease, Snapshot, Store } from './store.ts';

/** The state of a run in this store's memory. */
interface HeldRunState extends HeldRun {
  readonly hold: RunHold;
  readonly ledger: Ledger;
}

export function createStore(engine: Engine, clock: Clock): Store {
  const { outbox } = engine;
  const heldStates = new WeakMap<Lease, HeldRunState>();
  /** The latest hold of this store on each run. */
  const holds = new Map<string, RunHold>();

  function requireHeldState(lease: Lease): HeldRunState {
    const heldState = heldStates.get(lease);
    if (heldState !== undefined) return heldState;
    throw new SondeError('internal', {
      message: `The lease of ${lease.run} was not taken from this store`,
      remedy: 'This is a fault in the caller: use the store that the run was acquired from.',
    });
  }

  function createLease(loaded: LoadedRun): Lease {
    const { run, fence } = loaded;
    const hold: RunHold = { run, fence, ended: false, lastStored: loaded.events.at(-1)?.seq ?? 0 };
    holds.set(run, hold);
    const lease: Lease = Object.freeze({
      run,
      fence,
      renew: () => engine.renew(hold),
      async release() {
        if (hold.ended) return;
        await engine.release(hold);
        hold.ended = true;
      },
    });
    async function snapshot(node: string): Promise<Snapshot | null> {
      // Stores a waiting snapshot first, so that it is found.
      await engine.flush(hold, {});
      return engine.snapshot(run, node);
    }
    const fenceOf = (other: string): number => holds.get(other)?.fence ?? 0;
    heldStates.set(lease, {
      hold,
      ...createHeldRun(hold, loaded, { outbox, clock, snapshot }),
      ledger: ledgerFromRows(createHeldRows(hold, loaded, { outbox, fenceOf })),
    });
    return lease;
  }

  return Object.freeze({
    path: engine.path,
    runs: Object.freeze({
      ...engine.runs,
      acquire: async (id) => createLease(await engine.acquire(id)),
      async begin(run, by) {
        const { row, loaded } = await engine.begin(run, by);
        return { row, lease: createLease(loaded) };
      },
      finish(id, lease) {
        const { hold } = requireHeldState(lease);
        if (lease.run !== id) throwLeaseLost(id, lease.fence);
        outbox.add(hold, { kind: 'finish', run: id, at: clock.now() }, () => {});
      },
    } satisfies Store['runs']),
    accounts: engine.accounts,
    ledger: (lease) => requireHeldState(lease).ledger,
    log: (lease) => requireHeldState(lease).log,
    journal: (lease) => requireHeldState(lease).journal,
    snapshots: (lease) => requireHeldState(lease).snapshots,
    events: (run, after = 0) => engine.events(run, after),
    lastEvent: (run) => engine.lastEvent(run),
    openRecorded: async (run) => ({ recall: createRecall(await engine.records(run)) }),
    atomic: outbox.atomic,
    async commit(lease, options = {}) {
      const { hold } = requireHeldState(lease);
      const hasWrites = outbox.hasWaitingFor(hold);
      await engine.flush(hold, options);
      if (!hasWrites && !(await engine.isHeld(hold))) hold.ended = true;
      if (hold.ended) throwLeaseLost(hold.run, hold.fence);
      return hold.lastStored;
    },
    close: () => engine.close(),
  } satisfies Store);
}
