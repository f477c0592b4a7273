import type { StopReason, Verification } from './result.ts';

/**
 * What an answer is worth: what the gate made of its claims, seen with who wrote it and how the run ended. Lines
 * that nobody explained answer nothing, and an answer that was due before its time is no more than partial.
 */
export function verdictOf(
  gated: Verification,
  { answered, stop }: { readonly answered: boolean; readonly stop: StopReason },
): Verification {
  if (!answered) return gated === 'unverified' ? 'unverified' : 'quotes';
  return gated === 'verified' && stop !== 'finalized' ? 'partial' : gated;
}
