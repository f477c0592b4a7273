/** The result of an investigation: what its caller gets, and what the log keeps under the run's id. */

import type { AllAmounts } from './budget/budget.ts';
import type { Claim, ClaimCounts } from './claim.ts';
import type { ComputedAnswer, ComputedValue } from './computed.ts';
import type { RunResult, StopReason, Verification } from './result.ts';
import type { FileSpan } from './text/span.ts';
import type { ReadSpan } from './trail.ts';

/**
 * final: the sandboxed code called FINAL. budget_exhausted: the pool ran out; the answer is the best so far. failed: the
 * model failed, or wrote no code three times in a row.
 */
const investigationStatuses = ['final', 'budget_exhausted', 'cancelled', 'failed'] as const;
export type InvestigationStatus = (typeof investigationStatuses)[number];

/** A change that the investigation proposes. Only the submit boundary applies it, as a candidate. */
export interface ProposedWrite {
  /** `write-1`, `write-2` … within the run. */
  readonly id: string;
  /** Operation of the boundary: `create_page`, `add_block` … */
  readonly op: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A list that is the answer and too long to enter the caller's context: `sonde show RUN --artifact NAME` opens it. */
export interface ListArtifact {
  readonly name: string;
  readonly items: readonly ListItem[];
}

export interface ListItem {
  readonly value: unknown;
  /** The first lines that flowed into the item. Empty if none did, or if the flow could not be followed. */
  readonly spans: readonly FileSpan[];
  readonly flow: ComputedValue['flow'];
}

/** The result that enters the caller's context: at most 4 KB as JSON. */
export interface InvestigationResult {
  readonly run_id: string;
  /** The verdict on the answer. */
  readonly status: Verification;
  readonly stop_reason: StopReason;
  /**
   * The answer. A text was checked by the gate, and cut to size. Any other value is the whole value that FINAL
   * received; of a long list, the number of items and the first of them.
   */
  readonly answer: unknown;
  readonly citations: readonly {
    readonly id: string;
    readonly path: string;
    readonly start_line: number;
    readonly end_line: number;
  }[];
  /** The same as `status`, under its name until 0.2. */
  readonly verification: Verification;
  /** Claims of the answer; if not all fit, the worst first. Absent in runs of earlier versions. */
  readonly claims?: readonly Claim[];
  /** How many claims have each verdict, if `claims` does not hold all. */
  readonly claim_counts?: ClaimCounts;
  /** Texts of the claims that are contradicted or not shown. Absent for none, and where they don't fit. */
  readonly unsupported?: readonly string[];
  /** Names in the question that occur in no file, path or commit. Absent for none. */
  readonly missing?: readonly string[];
  /** Long lists of the answer, by the names under which the run keeps them. Absent for none. */
  readonly artifacts?: readonly { readonly name: string; readonly items: number }[];
  /** The proposed writes, one line each; the run's record has them in full. */
  readonly proposed_writes: readonly string[];
  /** The first paths that were read, and the number of all spans. The ids of pages are in the record. */
  readonly read_trail: { readonly read: readonly string[]; readonly count: number };
  readonly spent: AllAmounts;
  /** How it ended, if that needs explaining. */
  readonly note?: string;
}

/** The facts that the log keeps in addition. */
export interface InvestigationRecord {
  readonly result: InvestigationResult;
  readonly proposed_writes: readonly ProposedWrite[];
  readonly read_trail: readonly ReadSpan[];
  /** Ids of the content that was read, if the material has ids: every write derives from them. */
  readonly sources: readonly string[];
  /** Where the values of the answer come from. Absent if no cell gave any, and in runs of earlier versions. */
  readonly computed?: ComputedAnswer;
  readonly artifacts?: readonly ListArtifact[];
  /** Investigations, this one included, and the cells they ran. */
  readonly nodes: number;
  readonly cells: number;
  /** Bytes that sandbox code got from its helpers, and bytes it printed for the model. */
  readonly bytes: { readonly handled: number; readonly shown: number; readonly prompts: number };
}

/** Until 0.2, `status` said how the run ended and `verification` gave the verdict. */
export function currentRecord(
  { status, stop_reason }: Pick<RunResult, 'status' | 'stop_reason'>,
  record: InvestigationRecord,
): InvestigationRecord {
  const { result } = record;
  if ('stop_reason' in result) return record;
  const { run_id, status: _ended, ...rest } = result as InvestigationRecord['result'];
  return { ...record, result: { run_id, ...{ status, stop_reason }, ...rest } };
}
