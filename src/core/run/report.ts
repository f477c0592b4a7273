import { type Amounts, amountText, resources } from '../budget/budget.ts';
import { withRemedy } from '../errors.ts';
import type { LoggedEvent } from '../event.ts';
import type { RunResult, StopReason } from '../result.ts';
import { formatCount } from '../text/format-count.ts';
import { codeSpan, escapePath, fenceText, plainLine } from '../text/plain-text.ts';
import { cellsLine } from './cells.ts';
import { type RunState, runState } from './state.ts';
import { evidenceOf, type ShownEvidence, type TraceAction, type TraceStep, traceOf } from './trace.ts';

const endings: Readonly<Record<StopReason, string>> = {
  finalized: 'It reached its answer.',
  budget: 'Its budget came to an end; the answer is from what was found until then.',
  stagnant: 'It found nothing new any more; the answer is from what was found until then.',
  model_failed: 'The model failed; the answer is from what was found until then.',
  cancelled: 'It was cancelled; the answer is from what was found until then.',
};

const verdicts: Readonly<Record<RunResult['status'], string>> = {
  verified: 'Every claim was held against what it rests on, and is carried.',
  partial:
    'Some claims are supported, or the run was cut short; what is listed as unsupported is contradicted or not shown.',
  unverified: 'No claim is carried. Take nothing here as established.',
  quotes: 'Nobody wrote an answer: these are lines that search found, re-read and confirmed.',
  not_found: 'What was asked about does not occur here.',
};

/**
 * The content of `report.md`: a run, finished or not, for people. All text of the question, the material or a model
 * is confined to fenced blocks and code spans.
 */
export function reportOf(log: readonly LoggedEvent[]): string {
  const state = runState(log);
  const { result } = state;
  const sections = [
    `# ${heading(state)}`,
    section('Question', state.question === null ? 'Not logged.' : fenceText(state.question)),
    ...answerOf(result),
    section('Timeline', timeline(log)),
    ...cellsLine(log, result?.run_id ?? 'RUN').map((line) => section('Cells', line)),
    section('What was looked at', lookedAtText(result, evidenceOf(log))),
    section('Spent', spentLine(state)),
    section('End', endOf(state)),
  ];
  return `${sections.join('\n\n')}\n`;
}

function heading({ status, shape, result }: RunState): string {
  const run = result === null ? 'A run' : `Run ${codeSpan(result.run_id)}`;
  const kind = shape === null ? '' : ` (${codeSpan(shape)})`;
  return `${run}${kind}: ${status === 'finished' ? (result?.status ?? status) : 'not finished'}`;
}

function section(title: string, ...parts: readonly string[]): string {
  return [`## ${title}`, ...parts].join('\n\n');
}

function answerOf(result: RunResult | null): readonly string[] {
  if (result === null) return [section('Answer', 'There is none yet.')];
  const { confidence, model } = result;
  const confidenceText = confidence === null ? 'Nobody judged its confidence' : `Confidence ${confidence}`;
  const citations = result.citations.map(
    ({ id, path, start_line, end_line, provenance, status }) =>
      `- ${codeSpan(id)} ${codeSpan(`${path}:${start_line}-${end_line}`)} (${provenance}): **${status}**`,
  );
  return [
    section(
      'Answer',
      fenceText(result.answer),
      `${verdicts[result.status]} ${confidenceText}; model ${codeSpan(model)}.`,
    ),
    section('Citations', citations.length === 0 ? 'None.' : citations.join('\n')),
    ...(result.unsupported.length === 0
      ? []
      : [
          section(
            'Unsupported',
            fenceText(result.unsupported.map((one) => `- ${plainLine(one)}`).join('\n')),
          ),
        ]),
  ];
}

function timeline(log: readonly LoggedEvent[]): string {
  const { steps, notes, resumed, started } = traceOf(log);
  const sinceStart = (at: number) => `+${((at - (started ?? at)) / 1000).toFixed(1)} s`;
  const lines = [
    ...steps.map((step) => ({ at: step.at, text: stepText(step, sinceStart(step.at)) })),
    ...resumed.map(({ at, recovered }) => ({
      at,
      text: `- ${sinceStart(at)}: taken up again; ${recovered} reservations that were left open count as spent`,
    })),
    ...notes.map(({ at, level, text }) => ({ at, text: `- ${sinceStart(at)}: ${level}: ${codeSpan(text)}` })),
  ];
  if (lines.length === 0) return 'Nothing happened yet.';
  return lines
    .sort((a, b) => a.at - b.at)
    .map(({ text }) => text)
    .join('\n\n');
}

function stepText({ step, calls, actions, exhausted }: TraceStep, at: string): string {
  const callLines = calls.map(({ call, model, spent, unknown, over, failure }) => {
    const cost =
      failure === null ? amounts(spent ?? {}) || 'no reply' : `failed: ${codeSpan(withRemedy(failure))}`;
    return `- model ${codeSpan(model ?? 'unknown')}, ${codeSpan(call)}: ${cost}${unknown ? ' (estimated)' : ''}${overspendText(over)}`;
  });
  const refusalLines = exhausted.map(
    ({ resource, spent, limit, held, requested }) =>
      `- out of ${resource}: ${requested} asked for, ${spent} spent and ${held} held of ${limit}`,
  );
  return [
    `### Step ${step}, ${at}`,
    ...asBlock([...callLines, ...refusalLines]),
    ...actions.map(actionText),
  ].join('\n\n');
}

const overspendText = (over: Amounts | null): string =>
  over === null ? '' : ` (${amounts(over)} more than was reserved)`;

function asBlock(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [lines.join('\n')];
}

function actionText({
  action,
  reasoning,
  input,
  outcome,
  summary,
  evidence,
  fresh,
  completeness,
}: TraceAction): string {
  const resultText =
    outcome === null
      ? 'not finished'
      : `${outcome}, ${fresh} new of ${formatCount(evidence.length, 'piece')} of evidence, listing ${completeness}`;
  const facts = [
    reasoning === '' ? '' : `reasoning: ${plainLine(reasoning)}`,
    `input: ${JSON.stringify(input)}`,
    summary === null ? '' : `summary: ${plainLine(summary)}`,
  ];
  return `${codeSpan(action)}: ${resultText}\n\n${fenceText(facts.filter((fact) => fact !== '').join('\n'))}`;
}

function lookedAtText(result: RunResult | null, evidence: readonly ShownEvidence[]): string {
  const coverage =
    result === null
      ? []
      : [
          `${formatCount(result.coverage.files, 'file')} searched, ${result.coverage.skipped} skipped, ` +
            `${formatCount(result.coverage.searches, 'search', 'searches')}, ${formatCount(result.coverage.files_read, 'file')} read; ` +
            `coverage ${result.coverage.completeness}.`,
          ...asBlock(result.coverage.notes.map((note) => `- ${codeSpan(note)}`)),
        ];
  const place = ({ file_path, start_line, end_line }: ShownEvidence) =>
    codeSpan(`${escapePath(file_path)}:${start_line}-${end_line}`);
  const cited = evidence
    .filter(({ status }) => status !== null)
    .map(
      (shownEvidence) =>
        `${codeSpan(shownEvidence.id)} ${place(shownEvidence)}: **${shownEvidence.status}**\n\n${fenceText(shownEvidence.content)}`,
    );
  const others = evidence
    .filter(({ status }) => status === null)
    .map(
      (shownEvidence) =>
        `- ${codeSpan(shownEvidence.id)} ${place(shownEvidence)} (${shownEvidence.provenance}, step ${shownEvidence.step})`,
    );
  const otherLines = others.length === 0 ? [] : [`Read and not cited:`, others.join('\n')];
  const parts = [...coverage, ...cited, ...otherLines];
  return parts.length === 0 ? 'Nothing yet.' : parts.join('\n\n');
}

function spentLine({ spent, limits, status }: RunState): string {
  const used = resources.filter((name) => spent[name] !== 0 || limits[name] !== undefined);
  const lines = used.map((name) => {
    const limit = limits[name];
    return `- ${amountText(name, spent[name])}${limit === undefined ? '' : ` of ${amountText(name, limit)}`}`;
  });
  const preamble = status === 'finished' ? [] : ['As far as the log knows:'];
  return lines.length === 0 ? 'Nothing.' : [...preamble, lines.join('\n')].join('\n\n');
}

function amounts(some: Amounts): string {
  const named = resources.filter((name) => some[name] !== undefined);
  return named.map((name) => amountText(name, some[name]!)).join(', ');
}

function endOf({ status, stop, updated, resumed }: RunState): string {
  const resumedText =
    resumed === 0 ? '' : ` It was taken up again ${resumed === 1 ? 'once' : `${resumed} times`}.`;
  if (status === 'finished' && stop !== null) return `${codeSpan(stop)}: ${endings[stop]}${resumedText}`;
  const last = updated === null ? '' : ` Its last event is of ${new Date(updated).toISOString()}.`;
  return `It has not finished.${last}${resumedText}`;
}
