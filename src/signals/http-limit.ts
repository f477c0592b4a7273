/** Systems that are asked too often say so, and most say when they will answer again. */

const resets = ['x-ratelimit-reset', 'ratelimit-reset', 'x-sentry-rate-limit-reset'];

/** The pause if the server does not say how long. Milliseconds. */
const usualMs = 1_000;

/**
 * Milliseconds to wait if the reply says that there were too many requests; otherwise null. GitHub says it with status
 * 403, Kubernetes with 429 or 503. The time is given in seconds, as a date, or in seconds since 1970 by the clock of
 * the system, so the `date` header of the reply counts as now.
 */
export function readRetryAfter(status: number, headers: Headers): number | null {
  const after = headers.get('retry-after');
  const spent = headers.get('x-ratelimit-remaining') === '0';
  const limited =
    status === 429 || (status === 503 && after !== null) || (status === 403 && (after !== null || spent));
  if (!limited) return null;
  const now = Date.parse(headers.get('date') ?? '');
  if (after !== null) return /^\d+$/.test(after) ? Number(after) * 1_000 : until(Date.parse(after), now);
  const reset = Number(resets.map((name) => headers.get(name)).find((value) => value !== null) ?? Number.NaN);
  if (Number.isNaN(reset)) return usualMs;
  return reset < 1e9 ? reset * 1_000 : until(reset * 1_000, now);
}

function until(at: number, now: number): number {
  return Number.isNaN(at - now) ? usualMs : Math.max(0, at - now);
}
