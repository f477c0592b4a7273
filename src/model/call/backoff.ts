/** How often and how patiently a failed call is tried again. */
export interface RetryPolicy {
  /** All attempts, the first included. */
  readonly attempts: number;
  /** Before the second attempt; doubled before each further one. Milliseconds, as all below. */
  readonly baseMs: number;
  readonly maxMs: number;
  /** A provider that asks for a longer wait than this is not waited for. */
  readonly patienceMs: number;
}

export const defaultRetry: RetryPolicy = Object.freeze({
  attempts: 4,
  baseMs: 500,
  maxMs: 20_000,
  patienceMs: 60_000,
});

/**
 * How long to wait after attempt `attempt` (1, 2, …), or null if the provider asks for a longer wait than the policy
 * allows. Half of the exponential delay is random, so that clients that failed together do not retry together. `random`
 * returns 0 to 1. A wait that the provider asked for is never shortened.
 */
export function backoffMs(
  policy: RetryPolicy,
  attempt: number,
  random: () => number,
  asked?: number,
): number | null {
  if (asked !== undefined && asked > policy.patienceMs) return null;
  if (asked === 0) return 0;
  const step = Math.min(policy.maxMs, policy.baseMs * 2 ** (attempt - 1));
  const jittered = step / 2 + (step / 2) * random();
  return Math.round(asked === undefined ? jittered : asked + (policy.baseMs / 2) * random());
}
