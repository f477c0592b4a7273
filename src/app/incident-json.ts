/** An incident as programs read it: the fields of the documentation, in their order, and nothing else. */
import type { IncidentResult } from '../core/index.ts';

export function incidentJson(incident: IncidentResult) {
  return {
    run_id: incident.run_id,
    verdict: incident.verdict,
    root_cause: incident.root_cause,
    root_cause_category: incident.root_cause_category,
    first_failing_service: incident.first_failing_service,
    suspects: incident.suspects.map(({ kind, id, score, evidence }) => ({ kind, id, score, evidence })),
    causal_chain: incident.causal_chain,
    validated_claims: incident.validated_claims,
    non_validated_claims: incident.non_validated_claims,
    remediation_steps: incident.remediation_steps,
    validity_score: incident.validity_score,
    timeline: incident.timeline,
    coverage: incident.coverage,
    stop_reason: incident.stop_reason,
    spent: incident.spent,
  };
}
