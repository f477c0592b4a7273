import type { AllAmounts } from './budget/budget.ts';
import type { Citation } from './citation.ts';
import type { Claim, ClaimCounts } from './claim.ts';
import type { Completeness } from './material.ts';

/** How a run ended. Every end has a result. */
export const stopReasons = ['finalized', 'budget', 'stagnant', 'model_failed', 'cancelled'] as const;
export type StopReason = (typeof stopReasons)[number];

/**
 * How far an answer can be trusted. verified: the run was completed, and every claim of its answer is supported (shown,
 * computed, absent or supported). partial: some claims are supported, or the run was cut short and answered from the
 * evidence that it had. unverified: no claim is supported. quotes: there is no written answer, only lines that search
 * found and the gate re-read; they explain nothing. not_found: the subject of the question does not occur here.
 */
export const verifications = ['verified', 'partial', 'unverified', 'quotes', 'not_found'] as const;
export type Verification = (typeof verifications)[number];

/** Which parts of the material were covered, and which were not. */
export interface Coverage {
  readonly files: number;
  readonly skipped: number;
  readonly searches: number;
  readonly files_read: number;
  readonly evidence: number;
  readonly completeness: Completeness;
  /** Notes on fallbacks that were taken, and on checks that could not be made. At most a handful of lines. */
  readonly notes: readonly string[];
}

/** The result of a run. The answer is at most 4 KB of UTF-8, the whole at most 8 KB as JSON. */
export interface RunResult {
  readonly run_id: string;
  readonly status: Verification;
  /** Names in the question that occur in no file, path or commit. Absent for none. */
  readonly missing?: readonly string[];
  readonly answer: string;
  readonly citations: readonly Citation[];
  /** The texts of the claims that are contradicted or not shown. */
  readonly unsupported: readonly string[];
  /** Claims of the answer, in its order; if not all fit, the worst first. Absent in runs of earlier versions. */
  readonly claims?: readonly Claim[];
  /** How many claims have each verdict, if `claims` does not hold all. */
  readonly claim_counts?: ClaimCounts;
  /** From 0 to 1: given by the model, and lowered by the gate. Null if no model gave one. */
  readonly confidence: number | null;
  readonly stop_reason: StopReason;
  readonly model: string;
  readonly spent: AllAmounts;
  readonly coverage: Coverage;
}

/**
 * The verdict on an answer: the verdicts of its claims, together with its author and how the run ended. Lines without
 * an explanation answer nothing, and the answer of an interrupted run is at most partial.
 */
export function verdictOf(
  gated: Verification,
  { answered, stop }: { readonly answered: boolean; readonly stop: StopReason },
): Verification {
  if (!answered) return gated === 'unverified' ? 'unverified' : 'quotes';
  return gated === 'verified' && stop !== 'finalized' ? 'partial' : gated;
}
