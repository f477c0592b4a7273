/** The part of the caller's remaining budget that delegated work may use. */
import type { AllAmounts, Pool } from '../core/index.ts';

/** The share of the remaining budget; the caller keeps the rest, to report the result. */
const part = 0.75;

/** `Infinity` for a resource without a limit. */
export function shareOf(pool: Pool): AllAmounts {
  const left = pool.remaining();
  const of = (amount: number) => (Number.isFinite(amount) ? Math.floor(amount * part) : amount);
  return Object.freeze({
    tokens: of(left.tokens),
    usd: left.usd * part,
    wall_ms: of(pool.timeLeft()),
    fuel: of(left.fuel),
    calls: of(left.calls),
    steps: Math.max(1, of(left.steps)),
  });
}

/** Milliseconds for the work: the caller's remaining time, or the usual time if that is unlimited. */
export function wallClockLimit({ wall_ms }: Pick<AllAmounts, 'wall_ms'>, usual: number): number {
  return Number.isFinite(wall_ms) ? wall_ms : usual;
}
