import type { StopReason, Verification } from './result.ts';

/**
 * The worth of an answer: the verdicts of its claims, together with its author and how the run ended. Lines without
 * an explanation answer nothing, and an answer of an interrupted run is at most partial.
 */
export function verdictOf(
  gated: Verification,
  { answered, stop }: { readonly answered: boolean; readonly stop: StopReason },
): Verification {
  if (!answered) return gated === 'unverified' ? 'unverified' : 'quotes';
  return gated === 'verified' && stop !== 'finalized' ? 'partial' : gated;
}
