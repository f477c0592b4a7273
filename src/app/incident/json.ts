/** An incident as JSON: the documented fields in their order, and no others. */
import type { CheckedIncident, IncidentResult, IncidentWindow, RunResult } from '../../core/index.ts';

/** Defaults for fields that runs of earlier versions lack. */
const laterFields = { detail: '', confidence: null, blamed: null, links: [] } as const;

/** Adds the status and the checked claims of the run's result. */
export const checkedIncident = (
  incident: IncidentResult,
  { status, claims, claim_counts }: CheckedClaims,
): CheckedIncident => ({
  ...incident,
  status,
  ...(claims !== undefined && { claims }),
  ...(claim_counts !== undefined && { claim_counts }),
});

type CheckedClaims = Pick<RunResult, 'status' | 'claims' | 'claim_counts'>;

export function incidentJson(
  incidentResult: IncidentResult,
  { status, claims, claim_counts }: CheckedClaims,
) {
  const incident = { ...laterFields, ...incidentResult };
  return {
    run_id: incident.run_id,
    status,
    verdict: incident.verdict,
    root_cause: incident.root_cause,
    root_cause_category: incident.root_cause_category,
    detail: incident.detail,
    confidence: incident.confidence,
    blamed: incident.blamed,
    ...(incident.own !== undefined && { own: incident.own }),
    links: incident.links,
    first_failing_service: incident.first_failing_service,
    suspects: incident.suspects.map(({ kind, id, score, evidence }) => ({ kind, id, score, evidence })),
    causal_chain: incident.causal_chain,
    validated_claims: incident.validated_claims,
    non_validated_claims: incident.non_validated_claims,
    ...(claims !== undefined && { claims }),
    ...(claim_counts !== undefined && { claim_counts }),
    remediation_steps: incident.remediation_steps,
    validity_score: incident.validity_score,
    timeline: incident.timeline,
    runbooks: incident.runbooks ?? [],
    earlier_reports: incident.earlier_reports ?? [],
    alert: incident.alert,
    window: windowJson(incident.window),
    coverage: incident.coverage,
    stop_reason: incident.stop_reason,
    model: incident.model,
    spent: incident.spent,
  };
}

function windowJson(window: IncidentWindow | null | undefined) {
  if (window === null || window === undefined) return null;
  const iso = (at: number): string => new Date(at).toISOString();
  return {
    from: iso(window.from),
    to: iso(window.to),
    baseline_from: iso(window.baseline_from),
    derivation: window.derivation,
  };
}
