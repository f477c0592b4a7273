/** The result of an investigation of an incident, as the log keeps it and as programs read it. */
import type { AllAmounts } from '../budget/budget.ts';
import type { ClaimVerdict } from '../claim.ts';
import type { RunResult, StopReason } from '../result.ts';
import type { IncidentFields } from './fields.ts';
import type { IncidentWindow } from './signal.ts';

/**
 * code_change: a commit is to blame. config_change: a flag or a setting is to blame. no_code_change: the demand grew,
 * or an outside system failed. state: an object reports trouble of its own (a full disk, a pod that can't start).
 * healthy: there was no trouble, or it is over. unrelated: no system that was asked knows the subject of the alert.
 * inconclusive: the subject is known, but no cause could be linked to it. noise, resolved and duplicate end an
 * investigation before it begins.
 */
export const incidentVerdicts = [
  'code_change',
  'config_change',
  'no_code_change',
  'state',
  'healthy',
  'unrelated',
  'inconclusive',
  'noise',
  'resolved',
  'duplicate',
] as const;
export type IncidentVerdict = (typeof incidentVerdicts)[number];

/** The kind of cause, for programs that sort by it; `detail` is finer. */
export const rootCauseCategories = [
  'resource_exhaustion',
  'connection_exhaustion',
  'storage_exhaustion',
  'dual_resource_exhaustion',
  'replication_lag',
  'checkpoint_io_storm',
  'application_tier_load_spike',
  'configuration_error',
  'code_defect',
  'dependency_failure',
  'infrastructure',
  'data_quality',
  'healthy',
  'unknown',
] as const;
export type RootCauseCategory = (typeof rootCauseCategories)[number];

/** The cause that the verdict blames. */
export interface IncidentBlame {
  readonly kind: 'commit' | 'flag' | 'config' | 'object' | 'upstream' | 'traffic' | 'capacity';
  /** A commit hash, the name of a flag or an object, or the outside party. */
  readonly id: string;
  /** The service on which it took effect or to which it belongs; null if unknown. */
  readonly service: string | null;
}

/** What links the cause to the alerted symptom. */
export interface IncidentLink {
  /**
   * frame: a place in code that a stack trace names. identifier: a name that both contain. setting: a limit, a
   * tolerance or its value. flag: a feature flag that the failing code reads. edge: a call from one service to another.
   * state: what an object reports about itself.
   */
  readonly kind: 'frame' | 'identifier' | 'setting' | 'flag' | 'edge' | 'state';
  readonly from: string;
  readonly to: string;
  readonly evidence: readonly string[];
}

export interface IncidentClaim {
  readonly text: string;
  /** Ids of the evidence for the claim. */
  readonly evidence: readonly string[];
  /** The claim as data. Absent if it is only a sentence, and in runs of earlier versions. */
  readonly fields?: IncidentFields;
  /** Its verdict. Absent in runs of earlier versions. */
  readonly verdict?: ClaimVerdict;
}

/** A claim that its evidence does not support. */
export interface UnprovenClaim extends IncidentClaim {
  readonly reason: string;
}

/** The program's own verdict, reported with its proof next to a model's different one. */
export interface ProgramVerdict {
  readonly verdict: IncidentVerdict;
  readonly root_cause: string;
  readonly blamed: IncidentBlame | null;
  readonly confidence: number | null;
  readonly claims: readonly IncidentClaim[];
}

export interface Suspect {
  readonly kind: IncidentBlame['kind'];
  /** A commit hash, the name of a flag or an object, or the outside party. */
  readonly id: string;
  /** 0 to 1, comparable within one investigation only. */
  readonly score: number;
  readonly evidence: readonly string[];
  /** One line: the reasons for and against it. */
  readonly why: string;
}

export interface IncidentMoment {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly what: string;
  readonly evidence: readonly string[];
}

/** A runbook that fits the alert: instructions that people wrote beforehand. */
export interface FittingRunbook {
  /** The path in the folder of runbooks. */
  readonly path: string;
  readonly title: string;
  /** The id of the evidence that holds its text. */
  readonly evidence: string;
}

/** The result of an earlier investigation of the same alert. */
export interface EarlierReport {
  readonly run_id: string;
  /** The end of the time that the investigation looked at; ISO 8601, UTC. */
  readonly at: string | null;
  readonly verdict: IncidentVerdict;
  readonly root_cause: string;
  readonly blamed: IncidentBlame | null;
  readonly evidence: string;
}

/** Which systems and questions were covered, and which were not. */
export interface IncidentCoverage {
  readonly signals: readonly { readonly system: string; readonly source: string; readonly state: string }[];
  /** Number of questions that reached a system; answers from memory do not count. */
  readonly asked: number;
  /** Questions that were answered and showed nothing. */
  readonly empty: readonly string[];
  /** Which claims could not be checked, and why. */
  readonly unchecked: readonly string[];
  /** Which questions the plan left out, and why. */
  readonly left_out: readonly string[];
  readonly evidence: number;
  /** Notes on fallbacks that were taken and limits that were reached. */
  readonly notes: readonly string[];
}

export interface IncidentDelivery {
  readonly sink: string;
  readonly state: 'delivered' | 'failed' | 'uncertain';
  /** The address that the report was sent to, or why it was not sent. */
  readonly detail: string;
  /** The thread for the next report of the same problem, in the destination's own notation. */
  readonly thread?: string;
}

export interface IncidentResult {
  readonly run_id: string;
  readonly verdict: IncidentVerdict;
  readonly root_cause: string;
  readonly root_cause_category: string;
  /** The cause in a few words. */
  readonly detail: string;
  /** 0 to 1: how likely the blame is exact; null if nothing is blamed. docs/incidents.md has the formula. */
  readonly confidence: number | null;
  readonly blamed: IncidentBlame | null;
  readonly links: readonly IncidentLink[];
  readonly suspects: readonly Suspect[];
  readonly causal_chain: readonly IncidentClaim[];
  readonly validated_claims: readonly IncidentClaim[];
  readonly non_validated_claims: readonly UnprovenClaim[];
  readonly remediation_steps: readonly string[];
  /** The verdict of the program, if a model's verdict differs. */
  readonly own?: ProgramVerdict;
  /** Share of claims that were validated; 0 without claims. */
  readonly validity_score: number;
  readonly timeline: readonly IncidentMoment[];
  /** Runbooks are shown next to the verdict, which does not depend on them. Absent in runs of earlier versions. */
  readonly runbooks?: readonly FittingRunbook[];
  readonly earlier_reports?: readonly EarlierReport[];
  readonly coverage: IncidentCoverage;
  readonly stop_reason: StopReason;
  readonly spent: AllAmounts;
  /** The alert in one line. */
  readonly alert: string;
  readonly window: IncidentWindow | null;
  readonly first_failing_service: string | null;
  /** The model of the run, `extractive` if there was none. */
  readonly model: string;
  /** A model was asked, but wrote no conclusion: the program wrote the diagnosis. */
  readonly written_by?: 'program';
  readonly deliveries: readonly IncidentDelivery[];
}

/** With the verdicts on its claims, in the form that the results of all kinds of run have. */
export interface CheckedIncident
  extends IncidentResult,
    Pick<RunResult, 'status' | 'claims' | 'claim_counts'> {}
