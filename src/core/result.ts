import type { AllAmounts } from './budget/budget.ts';
import type { Citation } from './citation.ts';
import type { Claim, ClaimCounts } from './claim.ts';
import type { Completeness } from './material.ts';

/** How a run ended. Every end has a result. */
export const stopReasons = ['finalized', 'budget', 'stagnant', 'model_failed', 'cancelled'] as const;
export type StopReason = (typeof stopReasons)[number];

/**
 * What an answer is worth.
 * verified: the run came to its answer, and every claim in it is carried: shown, computed, absent or supported.
 * partial: some claims are, or the run was cut short and answered from what it had.
 * unverified: no claim is, whatever the answer says.
 * quotes: nobody wrote an answer. These are lines that search found, re-read; they explain nothing.
 * not_found: what was asked about does not occur here.
 */
export const verifications = ['verified', 'partial', 'unverified', 'quotes', 'not_found'] as const;
export type Verification = (typeof verifications)[number];

/** What was looked at, and what was not. */
export interface Coverage {
  readonly files: number;
  readonly skipped: number;
  readonly searches: number;
  readonly files_read: number;
  readonly evidence: number;
  readonly completeness: Completeness;
  /** Fallbacks taken and things that could not be checked. At most a handful of lines. */
  readonly notes: readonly string[];
}

/** What a run gives back. The answer is at most 4 KB of UTF-8, the whole at most 8 KB as JSON. */
export interface RunResult {
  readonly run_id: string;
  readonly status: Verification;
  /** Names in the question that occur in no file, path or commit. Absent where there are none. */
  readonly missing?: readonly string[];
  readonly answer: string;
  readonly citations: readonly Citation[];
  /** The texts of the claims that are contradicted or not shown. */
  readonly unsupported: readonly string[];
  /** What the answer claims, in its order; the worst first where they are not all. Absent in runs of before. */
  readonly claims?: readonly Claim[];
  /** How many there are of each verdict, where `claims` are not all. */
  readonly claim_counts?: ClaimCounts;
  /** 0 to 1; given by the model, lowered by the gate; null where nobody judged it. */
  readonly confidence: number | null;
  readonly stop_reason: StopReason;
  readonly model: string;
  readonly spent: AllAmounts;
  readonly coverage: Coverage;
}
