/** Makes the result of the run from its state. */
import type { AllAmounts, IncidentCoverage, IncidentResult } from '../../../core/index.ts';
import { alertLine } from '../alert/alert.ts';
import { computeValidity } from '../diagnose/diagnose.ts';
import { listLeftOutSystems } from '../gather/breaker.ts';
import type { IncidentState } from '../state.ts';

const maxNotes = 20;

export function createResult(
  run: string,
  model: string,
  state: IncidentState,
  spent: AllAmounts,
): IncidentResult {
  const { alert, dismissed, diagnosis, stop, window, deliveries } = state;
  const why = dismissed?.why ?? 'The investigation ended before a diagnosis.';
  return {
    run_id: run,
    verdict: dismissed?.verdict ?? diagnosis?.verdict ?? 'inconclusive',
    root_cause: diagnosis?.root_cause ?? why,
    root_cause_category:
      diagnosis?.root_cause_category ?? (dismissed?.verdict === 'resolved' ? 'healthy' : 'unknown'),
    detail: diagnosis?.detail ?? dismissed?.verdict ?? 'inconclusive',
    confidence: diagnosis?.confidence ?? null,
    blamed: diagnosis?.blamed ?? null,
    ...(diagnosis?.own !== undefined && { own: diagnosis.own }),
    links: diagnosis?.links ?? [],
    suspects: diagnosis?.suspects ?? [],
    causal_chain: diagnosis?.causal_chain ?? [],
    validated_claims: diagnosis?.validated ?? [],
    non_validated_claims: diagnosis?.doubted ?? [],
    remediation_steps: diagnosis?.remediation ?? [],
    validity_score: diagnosis === null ? 0 : computeValidity(diagnosis),
    timeline: diagnosis?.timeline ?? [],
    ...(state.library !== null && {
      runbooks: state.library.runbooks,
      earlier_reports: state.library.earlier,
    }),
    coverage: createCoverage(state),
    stop_reason: stop,
    spent,
    alert: alert === null ? state.sent.slice(0, 200) : alertLine(alert),
    window,
    first_failing_service: diagnosis?.firstFailing ?? null,
    model,
    ...(diagnosis !== null && diagnosis.writer !== model && { written_by: 'program' as const }),
    deliveries,
  };
}

export function createCoverage({
  systems,
  calls,
  plan,
  evidence,
  notes,
  stop,
}: IncidentState): IncidentCoverage {
  const formatCall = ({ tool, arguments: args, summary }: IncidentState['calls'][number]): string =>
    `${tool} ${JSON.stringify(args).slice(0, 160)}: ${summary}`;
  const answered = new Set(
    calls.filter(({ outcome }) => outcome === 'ok' || outcome === 'empty').map(({ tool }) => tool),
  );
  const unasked = (plan?.actions ?? []).filter(({ tool }) => !calls.some((call) => call.tool === tool));
  // Whether the model could have asked the question, but concluded without it.
  const isNeedless = stop === 'finalized';
  return {
    signals: systems.map(({ system, source, usable, detail }) => ({
      system,
      source,
      state: usable ? `usable, ${detail}` : `not usable: ${detail}`,
    })),
    asked: calls.filter(
      ({ outcome, tool }) =>
        (outcome === 'ok' || outcome === 'empty' || outcome === 'failed') &&
        !/^(recall_evidence|search_evidence|rank_suspects)$/.test(tool),
    ).length,
    empty: calls
      .filter(({ outcome }) => outcome === 'empty')
      .map(formatCall)
      .slice(0, 30),
    unchecked: [
      ...systems
        .filter(({ usable }) => !usable)
        .map(({ system, source, detail }) => `${system} (${source}): ${detail}`),
      ...listLeftOutSystems(calls).map(
        (system) => `${system}: left out for this run, since it was too slow twice`,
      ),
      ...calls.filter(({ outcome, tool }) => outcome === 'failed' && !answered.has(tool)).map(formatCall),
      ...(isNeedless ? [] : unasked.map(({ tool }) => `${tool} was planned and not asked`)),
    ].slice(0, 30),
    left_out: [
      ...(isNeedless ? unasked.map(({ tool }) => `${tool}: planned, and not needed for the conclusion`) : []),
      // A question that lacked arguments from the alert may have been answered in another way.
      ...(plan?.leftOut ?? []).filter(
        (line) => !(line.includes(': it needs ') && answered.has(line.slice(0, line.indexOf(':')))),
      ),
    ].slice(0, 40),
    evidence: evidence.length,
    notes: notes.slice(0, maxNotes).map((note) => (note.length > 400 ? `${note.slice(0, 399)}…` : note)),
  };
}
