/** What an investigation of an incident gives back, as the log keeps it and as programs read it. */
import type { AllAmounts } from './budget.ts';
import type { StopReason } from './result.ts';
import type { IncidentWindow } from './signal.ts';

/**
 * code_change: a commit is to blame. config_change: a flag or a setting is. no_code_change: something that
 * nobody of the house changed. inconclusive: the evidence carries none of these. The last three end an
 * investigation before it begins.
 */
export const incidentVerdicts = [
  'code_change',
  'config_change',
  'no_code_change',
  'inconclusive',
  'noise',
  'resolved',
  'duplicate',
] as const;
export type IncidentVerdict = (typeof incidentVerdicts)[number];

export interface IncidentClaim {
  readonly text: string;
  /** Ids of the evidence that it rests on. */
  readonly evidence: readonly string[];
}

/** A claim that the code could not find in what it names. */
export interface DoubtedClaim extends IncidentClaim {
  readonly reason: string;
}

export interface Suspect {
  readonly kind: 'commit' | 'flag' | 'config' | 'traffic' | 'upstream' | 'capacity';
  /** The commit's hash, the name of the flag, what is outside the house. */
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
  readonly suspects: readonly Suspect[];
  readonly causal_chain: readonly IncidentClaim[];
  readonly validated_claims: readonly IncidentClaim[];
  readonly non_validated_claims: readonly DoubtedClaim[];
  readonly remediation_steps: readonly string[];
  /** Claims that were validated, as a share of all of them; 0 where there is none. */
  readonly validity_score: number;
  readonly timeline: readonly IncidentMoment[];
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
