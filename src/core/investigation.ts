/** What an investigation gives back: what its caller gets, and what stays behind the run's id. */
import type { AllAmounts } from './budget/budget.ts';
import type { Claim, ClaimCounts } from './claim.ts';
import type { ComputedAnswer } from './computed.ts';
import type { RunResult, StopReason, Verification } from './result.ts';
import type { ReadSpan } from './trail.ts';

/**
 * final: the code inside called FINAL. budget_exhausted: the pool was at its end; the answer is the best there was.
 * failed: the model failed, or wrote no code three times in a row.
 */
const investigationStatuses = ['final', 'budget_exhausted', 'cancelled', 'failed'] as const;
export type InvestigationStatus = (typeof investigationStatuses)[number];

/** A change that the investigation proposes. It is applied by nobody but the submit boundary, as a candidate. */
export interface ProposedWrite {
  /** `write-1`, `write-2` … within the run. */
  readonly id: string;
  /** Of the boundary: `create_page`, `add_block` … */
  readonly op: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What enters the caller's context: at most 4 KB as JSON. */
export interface InvestigationResult {
  readonly run_id: string;
  /** What the answer is worth. */
  readonly status: Verification;
  readonly stop_reason: StopReason;
  /** A text, gated and cut to its size; or the value that FINAL was given, whole. */
  readonly answer: unknown;
  readonly citations: readonly {
    readonly id: string;
    readonly path: string;
    readonly start_line: number;
    readonly end_line: number;
  }[];
  /** As `status`: its name until 0.2. */
  readonly verification: Verification;
  /** What it claims; the worst first where they are not all. Absent in runs of before. */
  readonly claims?: readonly Claim[];
  /** How many there are of each verdict, where `claims` are not all. */
  readonly claim_counts?: ClaimCounts;
  /** Names in the question that occur in no file, path or commit. Absent where there are none. */
  readonly missing?: readonly string[];
  /** The writes proposed, one line each; whole behind the run's id. */
  readonly proposed_writes: readonly string[];
  /** What was really read: the first of the paths, and how many there are; ids of pages are in the record. */
  readonly read_trail: { readonly read: readonly string[]; readonly count: number };
  readonly spent: AllAmounts;
  /** How it ended, where that needs a word. */
  readonly note?: string;
}

/** What the log keeps beside it. */
export interface InvestigationRecord {
  readonly result: InvestigationResult;
  readonly proposed_writes: readonly ProposedWrite[];
  readonly read_trail: readonly ReadSpan[];
  /** Ids of the content that was read, where the material has any: the derivation of every write. */
  readonly sources: readonly string[];
  /** Where the values of the answer come from. Absent where no cell gave any, and in runs of before it was known. */
  readonly computed?: ComputedAnswer;
  /** Investigations, this one included, and the cells they ran. */
  readonly nodes: number;
  readonly cells: number;
  /** What code in the sandbox got from its helpers, and what it printed for the model. */
  readonly bytes: { readonly handled: number; readonly shown: number; readonly prompts: number };
}

/** Until 0.2 `status` said how it ended, and `verification` what the answer is worth. */
export function currentRecord(
  { status, stop_reason }: Pick<RunResult, 'status' | 'stop_reason'>,
  record: InvestigationRecord,
): InvestigationRecord {
  const { result } = record;
  if ('stop_reason' in result) return record;
  const { run_id, status: _ended, ...rest } = result as InvestigationRecord['result'];
  return { ...record, result: { run_id, ...{ status, stop_reason }, ...rest } };
}
