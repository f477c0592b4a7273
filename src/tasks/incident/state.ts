/**
 * The state of an investigation: plain data. A stage returns what it changes, and only `mergeUpdates` joins the changes
 * into the state.
 */
import type {
  EarlierReport,
  Evidence,
  FittingRunbook,
  IncidentBlame,
  IncidentClaim,
  IncidentDelivery,
  IncidentLink,
  IncidentMoment,
  IncidentVerdict,
  IncidentWindow,
  ProgramVerdict,
  RootCauseCategory,
  StopReason,
  Suspect,
  UnprovenClaim,
} from '../../core/index.ts';
import type { Dialogue, DialogueCut, Reply } from '../../model/index.ts';
import type { Alert } from './alert/alert.ts';
import type { WrittenDiagnosis } from './diagnose/conclusion.ts';
import type { RecordedDocument } from './gather/documents.ts';

export const stageNames = [
  'resolve_integrations',
  'extract_alert',
  'plan_actions',
  'gather_evidence',
  'diagnose',
  'deliver',
] as const;
export type StageName = (typeof stageNames)[number];

export interface SystemState {
  readonly system: string;
  readonly source: string;
  readonly usable: boolean;
  /** The version of the system, or why it is not usable. */
  readonly detail: string;
  /** Parts of the system that are not read; absent if there are none. */
  readonly notes?: readonly string[];
}

export interface PlannedAction {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly score: number;
  readonly rationale: string;
}

export interface Plan {
  readonly actions: readonly PlannedAction[];
  /** Omitted items with the reason. */
  readonly leftOut: readonly string[];
}

/** One question to a system, or to the recorded evidence. */
export interface CallMade {
  readonly iteration: number;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly outcome: 'ok' | 'empty' | 'failed' | 'duplicate' | 'refused';
  /** One line: what it showed, or why it did not. */
  readonly summary: string;
  readonly evidence: readonly string[];
  /** The system that was asked; absent if recorded evidence answered. */
  readonly system?: string;
  /** Whether the answer was slow or did not come in time. */
  readonly late?: boolean;
}

export interface Diagnosis {
  readonly verdict: IncidentVerdict;
  readonly root_cause: string;
  readonly root_cause_category: RootCauseCategory;
  readonly detail: string;
  readonly confidence: number | null;
  readonly blamed: IncidentBlame | null;
  readonly links: readonly IncidentLink[];
  readonly suspects: readonly Suspect[];
  readonly causal_chain: readonly IncidentClaim[];
  readonly validated: readonly IncidentClaim[];
  readonly doubted: readonly UnprovenClaim[];
  readonly remediation: readonly string[];
  readonly timeline: readonly IncidentMoment[];
  readonly firstFailing: string | null;
  readonly writer: string;
  /** The verdict of Sonde's own code, if the model's differs. */
  readonly own?: ProgramVerdict;
}

/** The dialogue with the model. */
export interface Talk {
  readonly dialogue: Dialogue;
  /** Where the dialogue was cut to fit the model's window. */
  readonly cut: DialogueCut;
  /** For each evidence id, the entry that shows it in full. */
  readonly shown: Readonly<Record<string, number>>;
  /** Turns in a row without anything new. */
  readonly dry: number;
  /** The findings of Sonde's own code, as last sent to the model. */
  readonly facts: string;
}

/** The conclusion that a model wrote. */
export interface WrittenConclusion {
  readonly written: WrittenDiagnosis;
  /** The reply that contains the conclusion. Null if it was written as text. */
  readonly reply: Reply | null;
  /** Id of the tool call in `reply`; empty without a reply. */
  readonly call: string;
}

export interface IncidentState {
  /** The alert as sent, with secrets masked. */
  readonly sent: string;
  /** When the run began, in milliseconds since the Unix epoch: a resumed run keeps to it. */
  readonly now: number;
  /** The next stage; null at the end. */
  readonly next: StageName | null;
  readonly systems: readonly SystemState[];
  readonly alert: Alert | null;
  /** Why nothing is investigated. */
  readonly dismissed: { readonly verdict: 'noise' | 'resolved' | 'duplicate'; readonly why: string } | null;
  readonly window: IncidentWindow | null;
  readonly plan: Plan | null;
  readonly recorded: readonly RecordedDocument[];
  readonly evidence: readonly Evidence[];
  readonly calls: readonly CallMade[];
  /** Null without a model, and before the first words. */
  readonly talk: Talk | null;
  /** Null if no model came to a conclusion. */
  readonly concluded: WrittenConclusion | null;
  readonly stop: StopReason;
  readonly notes: readonly string[];
  readonly diagnosis: Diagnosis | null;
  /** Runbooks and earlier reports; null if they were not looked up. */
  readonly library: {
    readonly runbooks: readonly FittingRunbook[];
    readonly earlier: readonly EarlierReport[];
  } | null;
  readonly deliveries: readonly IncidentDelivery[];
}

export type Updates = Partial<IncidentState>;

export function initialState(sent: string, now: number): IncidentState {
  return {
    sent,
    now,
    next: 'resolve_integrations',
    systems: [],
    alert: null,
    dismissed: null,
    window: null,
    plan: null,
    recorded: [],
    evidence: [],
    calls: [],
    talk: null,
    concluded: null,
    stop: 'finalized',
    notes: [],
    diagnosis: null,
    library: null,
    deliveries: [],
  };
}

/**
 * Merges the result of a stage into the state: the only place that does so. Notes are appended; everything else is
 * replaced.
 */
export function mergeUpdates(state: IncidentState, updates: Updates): IncidentState {
  const notes = [...new Set([...state.notes, ...(updates.notes ?? [])])];
  return Object.freeze({ ...state, ...updates, notes });
}
