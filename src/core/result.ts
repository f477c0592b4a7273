import type { AllAmounts } from './budget.ts';
import type { Citation } from './citation.ts';
import type { Completeness } from './material.ts';

/** How a run ended. Every end has a result. */
export const stopReasons = ['finalized', 'budget', 'stagnant', 'model_failed', 'cancelled'] as const;
export type StopReason = (typeof stopReasons)[number];

/**
 * verified: every claim carries a confirmed citation. partial: some do. unverified: none does, whatever the
 * answer says.
 */
export type Verification = 'verified' | 'partial' | 'unverified';

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
  readonly answer: string;
  readonly citations: readonly Citation[];
  /** Sentences of the answer that no confirmed citation carries. */
  readonly unsupported: readonly string[];
  /** 0 to 1; of the model, lowered by the gate; null where nobody judged it. */
  readonly confidence: number | null;
  readonly stop_reason: StopReason;
  readonly model: string;
  readonly spent: AllAmounts;
  readonly coverage: Coverage;
}
