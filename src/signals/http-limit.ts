/** Rate limits: whether a reply reports one, and how long to wait. */

const resetHeaders = ['x-ratelimit-reset', 'ratelimit-reset', 'x-sentry-rate-limit-reset'];

/** The wait if the server names none. Milliseconds. */
const defaultPauseMs = 1_000;

/**
 * Returns the milliseconds to wait if the reply reports too many requests; otherwise null. GitHub reports them with status
 * 403, Kubernetes with 429 or 503. The header holds seconds, a date, or seconds since 1970 by the clock of the system, so
 * the `date` header of the reply counts as now.
 */
export function readRetryAfter(status: number, headers: Headers): number | null {
  const retryAfter = headers.get('retry-after');
  const isUsedUp = headers.get('x-ratelimit-remaining') === '0';
  const isRateLimited =
    status === 429 ||
    (status === 503 && retryAfter !== null) ||
    (status === 403 && (retryAfter !== null || isUsedUp));
  if (!isRateLimited) return null;
  const now = Date.parse(headers.get('date') ?? '');
  if (retryAfter !== null)
    return /^\d+$/.test(retryAfter)
      ? Number(retryAfter) * 1_000
      : millisecondsUntil(Date.parse(retryAfter), now);
  const reset = Number(
    resetHeaders.map((name) => headers.get(name)).find((value) => value !== null) ?? Number.NaN,
  );
  if (Number.isNaN(reset)) return defaultPauseMs;
  return reset < 1e9 ? reset * 1_000 : millisecondsUntil(reset * 1_000, now);
}

function millisecondsUntil(at: number, now: number): number {
  return Number.isNaN(at - now) ? defaultPauseMs : Math.max(0, at - now);
}
