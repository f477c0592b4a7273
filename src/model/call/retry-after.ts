/**
 * How long the server asks to wait, in milliseconds: `retry-after-ms`, or `retry-after` in seconds or as a
 * date. `now` in milliseconds since the epoch.
 */
export function retryAfterMs(
  headers: Readonly<Record<string, string | undefined>>,
  now: number,
): number | undefined {
  const precise = Number(headers['retry-after-ms']);
  if (headers['retry-after-ms'] !== undefined && Number.isFinite(precise) && precise >= 0) return precise;
  const asked = headers['retry-after'];
  if (asked === undefined) return undefined;
  const seconds = Number(asked);
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1000 : undefined;
  const date = Date.parse(asked);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
