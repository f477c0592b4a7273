/**
 * Makes the common result of runs from the final state of an incident: a short answer with cited and checked claims.
 */
import { fitResult, removeMarks } from '../../core/answers.ts';
import {
  type AllAmounts,
  type Claim,
  type Coverage,
  type IncidentClaim,
  type IncidentResult,
  isRefused,
  type RunResult,
} from '../../core/index.ts';
import { createCheckedAnswer, summarizeVerdicts, weighAnswer } from '../../gate/index.ts';
import { createResult } from './deliver/result.ts';
import { hasClaimEvents } from './diagnose/diagnose.ts';
import { readRecorded } from './gather/documents.ts';
import type { RunContext } from './run-context.ts';
import type { IncidentState } from './state.ts';

/** The end of an investigation of an alert. */
export interface FinishedIncident {
  readonly result: RunResult;
  readonly incident: IncidentResult;
}

const maxNotes = 6;

export async function finishIncident(
  state: IncidentState,
  context: RunContext,
  spent: AllAmounts,
): Promise<FinishedIncident> {
  const incident = createResult(context.run, context.models.planner.name, state, spent);
  const lead = `Verdict: ${incident.verdict}.`;
  const formatCitations = (ids: readonly string[]): string =>
    ids
      .slice(0, 4)
      .map((id) => `[${id}]`)
      .join(' ');
  const claimLines = incident.validated_claims
    .slice(0, 8)
    .map(({ text, evidence }) => `- ${text} ${formatCitations(evidence)}`);
  const cause = incident.validated_claims.some(({ text }) => text === incident.root_cause)
    ? []
    : [incident.root_cause];
  const text = [lead, ...cause, ...claimLines].join('\n\n');
  const weighedAnswer = await weighAnswer({
    text,
    // Sonde's own sentences about the run make no claims about the material.
    framing: [lead, ...cause],
    evidence: state.evidence,
    reader: readRecorded(state.recorded),
    // Each claim was already checked against its record.
    decided: (sentence) => findDecision(sentence, incident.validated_claims),
  });
  const gated = createCheckedAnswer(weighedAnswer, { confidence: incident.validity_score });
  const claims = [
    ...incident.validated_claims.map((claim) => toClaim(claim)),
    ...incident.non_validated_claims.map((claim) => toClaim(claim, claim.reason)),
  ];
  const hasAllEvents = hasClaimEvents(context.recorded);
  const again = state.stop === 'cancelled' ? `/${state.next}` : '';
  if (hasAllEvents) context.tell(`claims${again}`, { kind: 'claims_checked', claims });
  for (const { id, status } of gated.checked)
    context.tell(`citation/${id}${again}`, {
      kind: 'citation_checked',
      id,
      status,
    });
  const result: RunResult = fitResult({
    run_id: context.run,
    status: hasAllEvents ? summarizeVerdicts(claims) : gated.status,
    answer: gated.answer,
    citations: gated.citations,
    ...(hasAllEvents
      ? { unsupported: claims.filter(isRefused).map(({ text }) => text), claims }
      : { unsupported: gated.unsupported }),
    confidence: gated.confidence,
    stop_reason: state.stop,
    model: context.models.planner.name,
    spent,
    coverage: createCoverage(state, incident.coverage.asked),
  });
  return { result, incident };
}

/** A claim of the report may have several sentences: each gets the verdict of the whole. */
function findDecision(
  sentence: string,
  claims: readonly IncidentClaim[],
): Pick<Claim, 'verdict' | 'why'> | null {
  const flatten = (text: string): string =>
    removeMarks(text)
      .replace(/\s+/g, ' ')
      .replace(/[.;\s]+$/, '');
  const found = claims.find(({ text }) => flatten(text).includes(flatten(sentence)));
  return found === undefined ? null : { verdict: found.verdict ?? 'shown' };
}

const toClaim = ({ text, evidence, verdict }: IncidentClaim, why?: string): Claim => ({
  ...{ text, verdict: verdict ?? (why === undefined ? 'shown' : 'not shown'), evidence, flags: [] },
  ...(why !== undefined && { why }),
});

function createCoverage(state: IncidentState, asked: number): Coverage {
  const unusable = state.systems.filter(({ usable }) => !usable).length;
  return {
    files: state.recorded.length,
    skipped: unusable,
    searches: asked,
    files_read: state.recorded.length,
    evidence: state.evidence.length,
    completeness:
      unusable > 0 || state.recorded.some(({ completeness }) => completeness !== 'complete')
        ? 'partial'
        : 'complete',
    notes: state.notes
      .slice(0, maxNotes)
      .map((note) => (note.length > 300 ? `${note.slice(0, 299)}…` : note)),
  };
}
