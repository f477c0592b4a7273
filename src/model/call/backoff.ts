/** How often and how long a failed call is retried. */
export interface RetryPolicy {
  /** All attempts, the first included. */
  readonly attempts: number;
  /** The delay before the second attempt. It doubles with each further one. Milliseconds, like all fields below. */
  readonly baseMs: number;
  readonly maxMs: number;
  /** If a provider asks for a longer wait than this, the call is not retried. */
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
  requestedMs?: number,
): number | null {
  if (requestedMs !== undefined && requestedMs > policy.patienceMs) return null;
  if (requestedMs === 0) return 0;
  const delayMs = Math.min(policy.maxMs, policy.baseMs * 2 ** (attempt - 1));
  const jittered = delayMs / 2 + (delayMs / 2) * random();
  return Math.round(requestedMs === undefined ? jittered : requestedMs + (policy.baseMs / 2) * random());
}
