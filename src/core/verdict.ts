import type { StopReason, Verification } from './result.ts';

/**
 * What an answer is worth: the verdicts of its claims, together with who wrote it and how the run ended.
 * Lines that nobody explained answer nothing, and an answer of a run that was cut short is at most partial.
 */
export function verdictOf(
  gated: Verification,
  { answered, stop }: { readonly answered: boolean; readonly stop: StopReason },
): Verification {
  if (!answered) return gated === 'unverified' ? 'unverified' : 'quotes';
  return gated === 'verified' && stop !== 'finalized' ? 'partial' : gated;
}
