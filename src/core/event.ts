/**
 * The run log: a closed union of events. State, trace, report and progress are folds over it, so an event
 * carries whatever those need and nothing that can be derived.
 */
import type { AllAmounts, Amounts, BudgetEnd } from './budget/budget.ts';
import type { CitationStatus } from './citation.ts';
import type { Claim } from './claim.ts';
import type { Evidence } from './evidence.ts';
import type { IncidentResult } from './incident/incident.ts';
import type { InvestigationRecord, InvestigationStatus } from './investigation.ts';
import type { Completeness } from './material.ts';
import type { RunResult } from './result.ts';

export type RunEvent =
  | {
      readonly kind: 'run_started';
      readonly shape: string;
      readonly question: string;
      /** Everything needed to start the run again, without secrets. */
      readonly params: Readonly<Record<string, unknown>>;
      /** The ceilings of the run's pool, so that a viewer can show the share that is left. */
      readonly limits?: Amounts;
    }
  | { readonly kind: 'run_resumed'; readonly fence: number; readonly recovered: number }
  | { readonly kind: 'step_started'; readonly step: number; readonly left: Amounts }
  | {
      readonly kind: 'model_called';
      readonly step: number;
      readonly call: string;
      readonly model: string;
      readonly signature: string;
      readonly reserved: Amounts;
    }
  | {
      readonly kind: 'model_replied';
      readonly step: number;
      readonly call: string;
      readonly spent: Amounts;
      readonly unknown: boolean;
      readonly wall_ms: number;
      readonly text: string;
      /** Tokens as the provider counted them. Absent if it reported none, and in logs of earlier versions. */
      readonly input?: number;
      readonly output?: number;
      /** Part of `input`: read from the provider's cache. Absent for none. */
      readonly cached?: number;
      /** The usage above the reservation, which is charged in full. Absent if there was none. */
      readonly over?: Amounts;
      /** The reply exceeded its output limit and was stopped there. */
      readonly stopped?: true;
    }
  | {
      readonly kind: 'model_failed';
      readonly step: number;
      readonly call: string;
      readonly code: string;
      readonly message: string;
      readonly remedy: string;
      /** As in `model_replied`. */
      readonly over?: Amounts;
    }
  | {
      readonly kind: 'action_started';
      readonly step: number;
      /** Pairs the start of a parallel action with its end. */
      readonly call?: string;
      readonly action: string;
      readonly input: Readonly<Record<string, unknown>>;
      readonly reasoning: string;
    }
  | {
      readonly kind: 'action_finished';
      readonly step: number;
      readonly call?: string;
      readonly action: string;
      readonly outcome: 'ok' | 'error' | 'cached';
      readonly summary: string;
      readonly evidence: readonly string[];
      readonly fresh: number;
      readonly completeness: Completeness;
      readonly wall_ms: number;
    }
  | { readonly kind: 'evidence_registered'; readonly step: number; readonly evidence: Evidence }
  /** An investigation, or one nested within it. Its name is its position: `root`, `root/2.1-3`. */
  | {
      readonly kind: 'node_started';
      readonly step: number;
      readonly node: string;
      readonly depth: number;
      readonly prompt: string;
    }
  /** The sandbox of the run. Logged again if the image changed on resume. */
  | {
      readonly kind: 'session_opened';
      readonly step: number;
      readonly node: string;
      /** SHA-256 of python.wasm, of its library, and of the snapshot made of both with the helpers. */
      readonly image: {
        readonly interpreter: string;
        readonly library: string;
        readonly snapshot: string;
      };
      /** The seed of its random numbers. */
      readonly seed: string;
    }
  | {
      readonly kind: 'cell_started';
      readonly step: number;
      readonly node: string;
      readonly cell: string;
      readonly code: string;
    }
  /** A request of a cell to the host, once answered. */
  | {
      readonly kind: 'helper_called';
      readonly step: number;
      readonly node: string;
      readonly cell: string;
      readonly helper: string;
      readonly outcome: 'ok' | 'error';
      /** One line. */
      readonly summary: string;
      /** The size of the answer. */
      readonly bytes: number;
      readonly wall_ms: number;
    }
  | {
      readonly kind: 'cell_finished';
      readonly step: number;
      readonly node: string;
      readonly cell: string;
      readonly outcome: 'ok' | 'error' | 'killed';
      /** The printed text, cut in the middle, followed by the value or the error. */
      readonly output: string;
      /** Size of the whole printed text, kept or not. */
      readonly bytes: number;
      readonly fuel: number;
      readonly calls: number;
      readonly wall_ms: number;
      readonly left: Amounts;
    }
  | {
      readonly kind: 'node_finished';
      readonly step: number;
      readonly node: string;
      readonly status: InvestigationStatus;
      readonly summary: string;
    }
  | { readonly kind: 'note'; readonly level: 'info' | 'warning'; readonly text: string }
  | { readonly kind: 'budget_exhausted'; readonly step: number; readonly exhausted: BudgetEnd }
  | {
      readonly kind: 'citation_checked';
      readonly id: string;
      readonly status: CitationStatus;
    }
  /** All claims of the answer, in its order; the result may hold only some. */
  | { readonly kind: 'claims_checked'; readonly claims: readonly Claim[] }
  | {
      readonly kind: 'run_finished';
      readonly result: RunResult;
      readonly spent: AllAmounts;
      /** Only this execution of the run ended, as after a cancel: the run can be resumed. */
      readonly resumable?: true;
      /** For an incident: everything its report is made of. */
      readonly incident?: IncidentResult;
      /** Only for an investigation in the sandbox. */
      readonly investigation?: InvestigationRecord;
    };

export type RunEventKind = RunEvent['kind'];

/** An event as the log keeps it. */
export interface LoggedEvent {
  /** 1, 2, 3 … within the run. */
  readonly seq: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** Unique within the run: appending the same key again changes nothing, so that a resumed run logs once. */
  readonly key: string;
  readonly event: RunEvent;
}

export interface RunLog {
  /** Returns false if the key is already logged. Throws `lease_lost` if the fence is old. */
  append(key: string, event: RunEvent): boolean;
  read(after?: number): readonly LoggedEvent[];
}

/**
 * Results from outside, recorded before they are used: a resumed run gets the same replies and pays for none twice.
 */
export interface Journal {
  /** `undefined` where nothing is recorded. */
  recall(key: string): unknown;
  /**
   * Keeps the first record of a key and returns it as `recall` will: a value that JSON can hold, with `undefined` as
   * `null`. Throws `lease_lost` if the fence is old.
   */
  record(key: string, value: unknown): unknown;
}
