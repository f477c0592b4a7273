/**
 * Budget amounts and the ledger contract: what a run may spend, what it has reserved, what it has spent.
 *
 * A ledger keeps a tree of accounts. Every reservation is checked against the account it names and against all its
 * ancestors in one atomic step, so that concurrent children never overspend together. An implementer must not: grant
 * part of a request, treat a remaining zero as unlimited, forget a reservation without settling or releasing it, or let
 * `settle` change a reservation twice.
 *
 * Amounts are kept in whole units, money in micro-dollars: requested and spent amounts are rounded up, ceilings down.
 * Time (`wall_ms`) isn't additive over parallel workers: a reservation only checks that enough is left, a settlement
 * ignores it, and a charge counts only on the charged account.
 */

export const resources = ['tokens', 'usd', 'wall_ms', 'fuel', 'calls', 'steps'] as const;

/**
 * tokens: input + output of models. usd: US dollars. wall_ms: milliseconds of the run's own working time.
 * fuel: sandbox fuel units. calls: requests to a model. steps: actions of a loop.
 */
export type Resource = (typeof resources)[number];

/** The name in messages for people. */
export const resourceNames: Readonly<Record<Resource, string>> = {
  tokens: 'tokens',
  usd: 'money',
  wall_ms: 'time',
  fuel: 'fuel',
  calls: 'calls',
  steps: 'steps',
};

/** The amount with its unit. */
export function formatAmount(resource: Resource, value: number): string {
  if (resource === 'usd') return `$${value.toFixed(4)}`;
  if (resource === 'wall_ms') return `${(value / 1000).toFixed(1)} s`;
  return `${value} ${resource}`;
}

/** An amount of each resource named; a resource that is not named is zero. */
export type Amounts = Readonly<Partial<Record<Resource, number>>>;

/** A ceiling for each resource named; a resource that is not named has no ceiling of its own here. */
export type Limits = Amounts;

export type AllAmounts = Readonly<Record<Resource, number>>;

export const zeroAmounts: AllAmounts = Object.freeze({
  tokens: 0,
  usd: 0,
  wall_ms: 0,
  fuel: 0,
  calls: 0,
  steps: 0,
});

/** Identifies a reservation: a second request with the same key is the same reservation. */
export interface ReservationKey {
  readonly run: string;
  /** Unique within the run, e.g. `step-3/model-1`. */
  readonly step: string;
  /** The lease epoch of the requesting worker; a later epoch may recover what an earlier one left open. */
  readonly fence: number;
}

export interface Account {
  readonly id: string;
  readonly parent: string | null;
  readonly limits: Limits;
  /** The amount kept back from ordinary reservations. Only a reservation marked `final` may draw on it. */
  readonly reserve: Amounts;
}

export interface ReserveRequest {
  readonly account: string;
  readonly key: ReservationKey;
  readonly amounts: Amounts;
  /** May draw on the reserve kept back for the final answer. */
  readonly final?: boolean;
}

/** The refusal of a request because a budget is exhausted, with its numbers. */
export interface BudgetEnd {
  readonly kind: 'exhausted';
  readonly resource: Resource;
  /** The account whose ceiling was reached: the requested one, or one of its ancestors. */
  readonly account: string;
  readonly limit: number;
  readonly spent: number;
  /** Amount in open reservations, plus the reserve for the final answer if this request may not use it. */
  readonly held: number;
  readonly requested: number;
  /** What to do, if something other than a larger budget also helps. Recorded with the refusal: replays print it. */
  readonly remedy?: string;
}

export interface ReservedAmounts {
  readonly kind: 'reserved';
  readonly id: string;
  readonly amounts: Amounts;
}

/** `unknown`: the cost was never reported, so the reservation itself counts as spent. */
export type Actual = Amounts | 'unknown';

export interface SettledAmounts {
  readonly kind: 'settled';
  readonly amounts: Amounts;
  readonly unknown: boolean;
  /** How much the actual cost exceeded the reservation; recorded in full, never hidden. */
  readonly over: Amounts;
}

export interface Balance {
  readonly limits: Limits;
  /** Kept back from ordinary reservations. */
  readonly kept: AllAmounts;
  readonly spent: AllAmounts;
  readonly reserved: AllAmounts;
  /** The part of `spent` for which the true cost was not reported, so that the reserved amount counts. */
  readonly unknown: AllAmounts;
}

/** Every method throws `bad_argument` for an amount that is not a number from zero up. */
export interface Ledger {
  /**
   * Opens an account; opening it again changes nothing. Throws `pool_misuse` if the parent is unknown, or if the
   * account exists with another parent or with limits that are neither its first nor its present ones.
   */
  open(account: Account): void;
  /**
   * Sets the account's own ceilings of the resources named and leaves the others, e.g. when a run is resumed
   * with a larger budget. `Infinity` lifts a ceiling.
   */
  relimit(account: string, limits: Limits): void;
  /**
   * Reserves. The key of an open reservation returns that reservation; the key of a released one makes a new one.
   * Throws `pool_misuse` if the key is settled or its amounts differ, and `lease_lost` if a later fence of the run is
   * known.
   */
  reserve(request: ReserveRequest): ReservedAmounts | BudgetEnd;
  /**
   * Replaces the reservation by the actual cost. Throws `pool_misuse` if it is not open, `lease_lost` if a later
   * fence has recovered it.
   */
  settle(reservation: string, actual: Actual): SettledAmounts;
  /** Gives the whole reservation back: nothing was sent, nothing was spent. Throws as `settle`. */
  release(reservation: string): void;
  /** Spends without a reservation: for costs known only afterwards, such as wall time. */
  charge(account: string, amounts: Amounts): void;
  balance(account: string): Balance;
  /**
   * Closes every reservation of the run that a fence below `fence` left open: each counts as spent in full and
   * unknown, since its request may have been sent. Lower fences can reserve nothing more. Returns how many were
   * closed. Throws `lease_lost` if a later fence is known.
   */
  recover(run: string, fence: number): number;
}
