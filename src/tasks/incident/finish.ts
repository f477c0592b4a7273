/** From the state at the end to what every shape of run gives back: a short answer, its claims cited and checked. */
import { fitResult, gateAnswer } from '../../core/answers.ts';
import type { AllAmounts, Coverage, IncidentResult, RunResult } from '../../core/index.ts';
import { resultOfState } from './deliver/result.ts';
import { readRecorded } from './gather/documents.ts';
import type { RunContext } from './run-context.ts';
import type { IncidentState } from './state.ts';

/** What an investigation of an alert ends with. */
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
  const incident = resultOfState(context.run, context.models.planner.name, state, spent);
  const lead = `Verdict: ${incident.verdict}.`;
  const cite = (ids: readonly string[]): string =>
    ids
      .slice(0, 4)
      .map((id) => `[${id}]`)
      .join(' ');
  const said = incident.validated_claims
    .slice(0, 8)
    .map(({ text, evidence }) => `- ${text} ${cite(evidence)}`);
  const cause = incident.validated_claims.some(({ text }) => text === incident.root_cause)
    ? []
    : [incident.root_cause];
  const text = [lead, ...cause, ...said].join('\n\n');
  const gated = await gateAnswer({
    text,
    // What the program itself says about the run claims nothing about the material.
    framing: [lead, ...cause],
    evidence: state.evidence,
    reader: readRecorded(state.recorded),
    confidence: incident.validity_score,
  });
  for (const { id, status } of gated.checked)
    context.tell(`citation/${id}${state.stop === 'cancelled' ? `/${state.next}` : ''}`, {
      kind: 'citation_checked',
      id,
      status,
    });
  const result: RunResult = fitResult({
    run_id: context.run,
    status: gated.status,
    answer: gated.answer,
    citations: gated.citations,
    unsupported: gated.unsupported,
    confidence: gated.confidence,
    stop_reason: state.stop,
    model: context.models.planner.name,
    spent,
    coverage: coverageFor(state, incident.coverage.asked),
  });
  return { result, incident };
}

function coverageFor(state: IncidentState, asked: number): Coverage {
  const away = state.systems.filter(({ usable }) => !usable).length;
  return {
    files: state.recorded.length,
    skipped: away,
    searches: asked,
    files_read: state.recorded.length,
    evidence: state.evidence.length,
    completeness:
      away > 0 || state.recorded.some(({ completeness }) => completeness !== 'complete')
        ? 'partial'
        : 'complete',
    notes: state.notes
      .slice(0, maxNotes)
      .map((note) => (note.length > 300 ? `${note.slice(0, 299)}…` : note)),
  };
}
