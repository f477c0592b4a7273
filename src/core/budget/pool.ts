/**
 * The budget as a run uses it: one account of a ledger, a clock of working time, and child accounts that draw on it.
 */

import { type Clock, systemClock } from '../clock.ts';
import { mapResources, roundToUnit } from './amounts.ts';
import {
  type Actual,
  type AllAmounts,
  type Amounts,
  type Balance,
  type BudgetEnd,
  type Ledger,
  type Limits,
  type Resource,
  resources,
  type SettledAmounts,
} from './budget.ts';
import { throwMisuse } from './ledger-errors.ts';

/** An amount set aside for one call. It ends once, by `settle` or `release`; a second call throws `pool_misuse`. */
export interface Reservation {
  readonly kind: 'reserved';
  readonly amounts: Amounts;
  /**
   * The cost of the call, or `unknown` if the provider did not report it. Any time in it is ignored: the pool's own
   * clock counts.
   */
  settle(actual: Actual): SettledAmounts;
  /** Gives the amount back: nothing was sent, and nothing was spent. */
  release(): void;
}

export interface ReserveOptions {
  /** For the final answer: may draw on the reserve kept back for it. */
  readonly final?: boolean;
}

export interface Pool {
  readonly account: string;
  /**
   * `step` is unique within this pool, e.g. `step-3/model-1`. Requested time (`wall_ms`) is only compared with the
   * time left, and never held, since parallel workers share it.
   */
  reserve(step: string, amounts: Amounts, options?: ReserveOptions): Reservation | BudgetEnd;
  /**
   * Resolves when a reservation that uses the missing resource ends in this process: then a refused request may be
   * granted. Null if there is no such reservation.
   */
  whenFreed(refusal: Pick<BudgetEnd, 'account' | 'resource'>): Promise<void> | null;
  /** A pool below this one. Its name is unique below this pool; its ceilings can only be stricter. */
  child(name: string, options?: { readonly limits?: Limits; readonly reserve?: Amounts }): Pool;
  /**
   * How much an ordinary reservation, or a final one, could get now. `Infinity` if there is no limit; never below 0.
   */
  remaining(options?: ReserveOptions): AllAmounts;
  /** Spent by this pool and all below it, and its own working time. */
  spent(): AllAmounts;
  /** Spends amounts that are known only afterwards. Never refused: `remaining` of an overdrawn pool is 0. */
  charge(amounts: Amounts): void;
  /** Sets the ceilings named; `Infinity` lifts one. */
  relimit(limits: Limits): void;
  /** Milliseconds of working time left, here and in every pool above. */
  timeLeft(options?: ReserveOptions): number;
  /** The refusal with its numbers if no time is left; otherwise null. */
  timeRefusal(options?: ReserveOptions): BudgetEnd | null;
  /** The time at which no working time is left, if the work goes on without a pause. */
  deadlineMs(options?: ReserveOptions): number;
  /** Records the time worked so far, so that a later crash can't lose it. Call it at every heartbeat. */
  recordTime(): void;
  /** Records the time worked and stops the clock. Reservations still open are left for `recover`. */
  close(): void;
}

export interface PoolOptions {
  /** Id of the root account; after a restart the same id finds the earlier spending. */
  readonly account: string;
  /** The run and the fence of the lease under which this worker reserves. */
  readonly run: string;
  readonly fence: number;
  readonly limits?: Limits;
  /** Kept back for the final answer. */
  readonly reserve?: Amounts;
  readonly clock?: Clock;
}

/**
 * Opens the root pool of a run, new or resumed. Its clock runs from now to `close`, so that only time during which a
 * process worked counts. Throws `pool_misuse` if the account exists with other limits.
 */
export function openPool(ledger: Ledger, options: PoolOptions): Pool {
  const { account, run, fence, limits = {}, reserve = {}, clock = systemClock } = options;
  ledger.open({ id: account, parent: null, limits, reserve });
  return createPool(
    { ledger, run, fence, clock, openReservations: new Set() },
    { account, path: '', parent: null },
  );
}

interface Context {
  readonly ledger: Ledger;
  readonly run: string;
  readonly fence: number;
  readonly clock: Clock;
  /** Reservations that are open. */
  readonly openReservations: Set<PoolReservation>;
}

interface PoolReservation {
  readonly account: string;
  readonly amounts: Amounts;
  readonly ended: Promise<void>;
}

interface PoolPlace {
  readonly account: string;
  /** Names of the children from the root to here, each with a slash after it: makes steps unique in the run. */
  readonly path: string;
  readonly parent: PoolNode | null;
}

interface PoolNode extends PoolPlace {
  balance(): Balance;
}

/** Milliseconds of work after which the next reservation also records the time. */
const tickMs = 250;

function createPool(context: Context, place: PoolPlace): Pool {
  const { account, path } = place;
  const { ledger, run, fence, clock } = context;
  let recordedUntil = clock.now();
  let closed = false;

  /** Working time not yet in the ledger. A clock that was set back adds nothing. */
  function measureUnrecordedMs(): number {
    return closed ? 0 : Math.max(0, clock.now() - recordedUntil);
  }

  function recordTime(): void {
    const ms = measureUnrecordedMs();
    if (!closed) recordedUntil = clock.now();
    if (ms > 0) ledger.charge(account, { wall_ms: ms });
  }

  const node: PoolNode = {
    ...place,
    balance() {
      const balance = ledger.balance(account);
      const wall_ms = balance.spent.wall_ms + measureUnrecordedMs();
      return { ...balance, spent: { ...balance.spent, wall_ms } };
    },
  };

  function findTimeRefusal(amounts: Amounts, final: boolean): BudgetEnd | null {
    const requested = amounts.wall_ms ?? 0;
    for (let at: PoolNode | null = node; at !== null; at = at.parent) {
      const balance = at.balance();
      const limit = balance.limits.wall_ms;
      if (limit === undefined || amountLeft(balance, 'wall_ms', final) >= Math.max(requested, 1)) continue;
      return Object.freeze({
        kind: 'exhausted',
        resource: 'wall_ms',
        account: at.account,
        limit,
        spent: balance.spent.wall_ms,
        held: final ? 0 : balance.kept.wall_ms,
        requested,
      });
    }
    return null;
  }

  function remaining({ final = false }: ReserveOptions = {}): AllAmounts {
    const min: Record<Resource, number> = mapResources(() => Infinity);
    for (let at: PoolNode | null = node; at !== null; at = at.parent) {
      const balance = at.balance();
      for (const resource of resources) {
        min[resource] = Math.min(min[resource], amountLeft(balance, resource, final));
      }
    }
    return Object.freeze(min);
  }

  function timeLeft(options?: ReserveOptions): number {
    return remaining(options).wall_ms;
  }

  return {
    account,
    reserve(step, amounts, { final = false } = {}) {
      if (closed) throwMisuse(`The pool ${account} is closed`);
      if (measureUnrecordedMs() >= tickMs) recordTime();
      const late = findTimeRefusal(amounts, final);
      if (late !== null) return late;
      const reply = ledger.reserve({ account, key: { run, step: path + step, fence }, amounts, final });
      if (reply.kind === 'exhausted') return reply;
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      const poolReservation: PoolReservation = { account, amounts, ended };
      context.openReservations.add(poolReservation);
      return createReservation(ledger, reply.id, reply.amounts, () => {
        context.openReservations.delete(poolReservation);
        resolve();
      });
    },
    whenFreed(refusal) {
      const ends = [...context.openReservations]
        .filter(
          ({ account: at, amounts }) =>
            isWithinAccount(refusal.account, at) && (amounts[refusal.resource] ?? 0) > 0,
        )
        .map(({ ended }) => ended);
      return ends.length === 0 ? null : Promise.race(ends);
    },
    child(name, { limits = {}, reserve = {} } = {}) {
      const id = `${account}/${name}`;
      ledger.open({ id, parent: account, limits, reserve });
      return createPool(context, { account: id, path: `${path}${name}/`, parent: node });
    },
    remaining,
    spent: () => Object.freeze(node.balance().spent),
    charge: (amounts) => ledger.charge(account, amounts),
    relimit: (limits) => ledger.relimit(account, limits),
    timeLeft,
    timeRefusal: ({ final = false } = {}) => findTimeRefusal({ wall_ms: 1 }, final),
    deadlineMs: (options) => clock.now() + timeLeft(options),
    recordTime: recordTime,
    close() {
      recordTime();
      closed = true;
    },
  };
}

function amountLeft(balance: Balance, resource: Resource, final: boolean): number {
  const limit = balance.limits[resource];
  if (limit === undefined) return Infinity;
  const unavailable = balance.reserved[resource] + (final ? 0 : balance.kept[resource]);
  return Math.max(0, roundToUnit(resource, limit - balance.spent[resource] - unavailable));
}

function isWithinAccount(account: string, below: string): boolean {
  return below === account || below.startsWith(`${account}/`);
}

function createReservation(ledger: Ledger, id: string, amounts: Amounts, onEnd: () => void): Reservation {
  let open = true;
  /** Two handles of the same key share an id, so each handle refuses a second end itself. */
  function once<Value>(end: () => Value): Value {
    if (!open) throwMisuse(`The reservation ${id} was ended before`);
    try {
      const value = end();
      open = false;
      return value;
    } finally {
      onEnd();
    }
  }
  return Object.freeze({
    kind: 'reserved',
    amounts,
    settle: (actual: Actual) => once(() => ledger.settle(id, actual)),
    release: () => once(() => ledger.release(id)),
  });
}
