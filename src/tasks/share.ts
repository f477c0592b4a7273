/** The part of the caller's remaining budget that delegated work may use. */
import type { AllAmounts, Pool } from '../core/index.ts';

/** The share of the remaining budget, 0 to 1; the caller keeps the rest, to report the result. */
const delegatedShare = 0.75;

/** The amounts that delegated work may use; `Infinity` for a resource without a limit. */
export function shareOf(pool: Pool): AllAmounts {
  const remaining = pool.remaining();
  const delegatedPart = (amount: number) =>
    Number.isFinite(amount) ? Math.floor(amount * delegatedShare) : amount;
  return Object.freeze({
    tokens: delegatedPart(remaining.tokens),
    usd: remaining.usd * delegatedShare,
    wall_ms: delegatedPart(pool.timeLeft()),
    fuel: delegatedPart(remaining.fuel),
    calls: delegatedPart(remaining.calls),
    steps: Math.max(1, delegatedPart(remaining.steps)),
  });
}

/** Milliseconds for the work: the caller's remaining time, or the usual time if that is unlimited. */
export function wallClockLimit({ wall_ms }: Pick<AllAmounts, 'wall_ms'>, defaultMs: number): number {
  return Number.isFinite(wall_ms) ? wall_ms : defaultMs;
}
