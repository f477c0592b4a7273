/** What an investigation of an incident gives back, as the log keeps it and as programs read it. */
import type { AllAmounts } from '../budget/budget.ts';
import type { ClaimVerdict } from '../claim.ts';
import type { StopReason } from '../result.ts';
import type { IncidentFields } from './fields.ts';
import type { IncidentWindow } from './signal.ts';

/**
 * code_change: a commit is to blame. config_change: a flag or a setting is. no_code_change: more demand, or somebody
 * else's outage. state: something is in a state of which it reports itself (a full disk, a pod that can't start).
 * healthy: it was no trouble, or is over. unrelated: nothing that was looked at knows what the alert is about.
 * inconclusive: it is known, and no cause is tied to it. The last three end an investigation before it begins.
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

/** What the verdict blames. */
export interface IncidentBlame {
  readonly kind: 'commit' | 'flag' | 'config' | 'object' | 'upstream' | 'traffic' | 'capacity';
  /** The commit's hash, the name of the flag or the object, what is outside the house. */
  readonly id: string;
  /** Where it took effect, or what it belongs to; null where that is not known. */
  readonly service: string | null;
}

/** What ties the cause to what is alerted. */
export interface IncidentLink {
  /**
   * frame: a place in the code that a trace names. identifier: a name that both hold. setting: a limit, a tolerance or
   * its value. flag: one that the failing code reads. edge: who calls whom. state: what an object reports of itself.
   */
  readonly kind: 'frame' | 'identifier' | 'setting' | 'flag' | 'edge' | 'state';
  readonly from: string;
  readonly to: string;
  readonly evidence: readonly string[];
}

export interface IncidentClaim {
  readonly text: string;
  /** Ids of the evidence that it rests on. */
  readonly evidence: readonly string[];
  /** What it says, as data. Absent where it is a sentence alone, and in runs of before. */
  readonly fields?: IncidentFields;
  /** What became of it. Absent in runs of before. */
  readonly verdict?: ClaimVerdict;
}

/** A claim that nothing carries. */
export interface DoubtedClaim extends IncidentClaim {
  readonly reason: string;
}

/** What the program comes to by itself, where a model came to something else: it stands beside that, with its proof. */
export interface OwnVerdict {
  readonly verdict: IncidentVerdict;
  readonly root_cause: string;
  readonly blamed: IncidentBlame | null;
  readonly confidence: number | null;
  readonly claims: readonly IncidentClaim[];
}

export interface Suspect {
  readonly kind: IncidentBlame['kind'];
  /** The commit's hash, the name of the flag or the object, what is outside the house. */
  readonly id: string;
  /** 0 to 1, comparable within one investigation only. */
  readonly score: number;
  readonly evidence: readonly string[];
  /** One line: what speaks for and against it. */
  readonly why: string;
}

export interface IncidentMoment {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly what: string;
  readonly evidence: readonly string[];
}

/** A runbook that fits the alert: what people wrote down beforehand. */
export interface FittingRunbook {
  /** In the folder of runbooks. */
  readonly path: string;
  readonly title: string;
  /** The id of its text. */
  readonly evidence: string;
}

/** What an investigation of the same alert came to before. */
export interface EarlierReport {
  readonly run_id: string;
  /** Until when it looked; ISO 8601, UTC. */
  readonly at: string | null;
  readonly verdict: IncidentVerdict;
  readonly root_cause: string;
  readonly blamed: IncidentBlame | null;
  readonly evidence: string;
}

/** What was looked at, and what was not. */
export interface IncidentCoverage {
  readonly signals: readonly { readonly system: string; readonly source: string; readonly state: string }[];
  /** Questions that were asked, without those served from memory. */
  readonly asked: number;
  /** Questions that were answered and showed nothing. */
  readonly empty: readonly string[];
  /** What could not be checked, and why. */
  readonly unchecked: readonly string[];
  /** What the plan left out, and why. */
  readonly left_out: readonly string[];
  readonly evidence: number;
  /** Fallbacks taken, caps met. */
  readonly notes: readonly string[];
}

export interface IncidentDelivery {
  readonly sink: string;
  readonly state: 'delivered' | 'failed' | 'uncertain';
  /** Where it went, or why it did not. */
  readonly detail: string;
}

export interface IncidentResult {
  readonly run_id: string;
  readonly verdict: IncidentVerdict;
  readonly root_cause: string;
  readonly root_cause_category: string;
  /** The cause in a few words of its own. */
  readonly detail: string;
  /** 0 to 1: how likely the blame is exact; null where nothing is blamed. docs/incidents.md has the formula. */
  readonly confidence: number | null;
  readonly blamed: IncidentBlame | null;
  readonly links: readonly IncidentLink[];
  readonly suspects: readonly Suspect[];
  readonly causal_chain: readonly IncidentClaim[];
  readonly validated_claims: readonly IncidentClaim[];
  readonly non_validated_claims: readonly DoubtedClaim[];
  readonly remediation_steps: readonly string[];
  /** Absent where the program comes to the same, and where no model concluded. */
  readonly own?: OwnVerdict;
  /** Claims that were validated, as a share of all of them; 0 where there is none. */
  readonly validity_score: number;
  readonly timeline: readonly IncidentMoment[];
  /** Beside the verdict, which does not rest on them. Absent in runs of before. */
  readonly runbooks?: readonly FittingRunbook[];
  readonly earlier_reports?: readonly EarlierReport[];
  readonly coverage: IncidentCoverage;
  readonly stop_reason: StopReason;
  readonly spent: AllAmounts;
  /** The alert in one line. */
  readonly alert: string;
  readonly window: IncidentWindow | null;
  readonly first_failing_service: string | null;
  /** Who wrote the diagnosis: a model by its name, or `extractive`. */
  readonly model: string;
  readonly deliveries: readonly IncidentDelivery[];
}
