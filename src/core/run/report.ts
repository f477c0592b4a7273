import { type Amounts, formatAmount, resources } from '../budget/budget.ts';
import { appendRemedy } from '../errors.ts';
import type { LoggedEvent } from '../event.ts';
import type { RunResult, StopReason } from '../result.ts';
import { escapePath, fenceText, formatCodeSpan, formatCount, plainLine } from '../text/plain-text.ts';
import { summarizeCells } from './cells.ts';
import { type RunState, runState } from './state.ts';
import { buildTrace, listEvidence, type ShownEvidence, type TraceAction, type TraceStep } from './trace.ts';

const endings: Readonly<Record<StopReason, string>> = {
  finalized: 'It reached its answer.',
  budget: 'Its budget came to an end; the answer is from what was found until then.',
  stagnant: 'It found nothing new any more; the answer is from what was found until then.',
  model_failed: 'The model failed; the answer is from what was found until then.',
  cancelled: 'It was cancelled; the answer is from what was found until then.',
};

const verdicts: Readonly<Record<RunResult['status'], string>> = {
  verified: 'Every claim was compared with its evidence, and is supported.',
  partial:
    'Some claims are supported, or the run was cut short; what is listed as unsupported is contradicted or not shown.',
  unverified: 'No claim is supported. Do not rely on anything here.',
  quotes: 'There is no written answer: these are lines that search found, re-read and confirmed.',
  not_found: 'What was asked about does not occur here.',
};

/**
 * The content of `report.md`: a run, finished or not, for people. All text of the question, the material or a model
 * is confined to fenced blocks and code spans.
 */
export function formatReport(log: readonly LoggedEvent[]): string {
  const state = runState(log);
  const { result } = state;
  const sections = [
    `# ${headingText(state)}`,
    formatSection('Question', state.question === null ? 'Not logged.' : fenceText(state.question)),
    ...formatAnswer(result),
    formatSection('Timeline', timelineText(log)),
    ...summarizeCells(log, result?.run_id ?? 'RUN').map((line) => formatSection('Cells', line)),
    formatSection('What was looked at', coverageText(result, listEvidence(log))),
    formatSection('Spent', spendingText(state)),
    formatSection('End', endText(state)),
  ];
  return `${sections.join('\n\n')}\n`;
}

function headingText({ status, shape, result }: RunState): string {
  const run = result === null ? 'A run' : `Run ${formatCodeSpan(result.run_id)}`;
  const kind = shape === null ? '' : ` (${formatCodeSpan(shape)})`;
  return `${run}${kind}: ${status === 'finished' ? (result?.status ?? status) : 'not finished'}`;
}

function formatSection(title: string, ...parts: readonly string[]): string {
  return [`## ${title}`, ...parts].join('\n\n');
}

function formatAnswer(result: RunResult | null): readonly string[] {
  if (result === null) return [formatSection('Answer', 'There is none yet.')];
  const { confidence, model } = result;
  const confidenceText = confidence === null ? 'No confidence was given' : `Confidence ${confidence}`;
  const citations = result.citations.map(
    ({ id, path, start_line, end_line, provenance, status }) =>
      `- ${formatCodeSpan(id)} ${formatCodeSpan(`${path}:${start_line}-${end_line}`)} (${provenance}): **${status}**`,
  );
  return [
    formatSection(
      'Answer',
      fenceText(result.answer),
      `${verdicts[result.status]} ${confidenceText}; model ${formatCodeSpan(model)}.`,
    ),
    formatSection('Citations', citations.length === 0 ? 'None.' : citations.join('\n')),
    ...(result.unsupported.length === 0
      ? []
      : [
          formatSection(
            'Unsupported',
            fenceText(result.unsupported.map((one) => `- ${plainLine(one)}`).join('\n')),
          ),
        ]),
  ];
}

function timelineText(log: readonly LoggedEvent[]): string {
  const { steps, notes, resumed, started } = buildTrace(log);
  const sinceStart = (at: number) => `+${((at - (started ?? at)) / 1000).toFixed(1)} s`;
  const lines = [
    ...steps.map((step) => ({ at: step.at, text: stepText(step, sinceStart(step.at)) })),
    ...resumed.map(({ at, recovered }) => ({
      at,
      text: `- ${sinceStart(at)}: taken up again; ${recovered} reservations that were left open count as spent`,
    })),
    ...notes.map(({ at, level, text }) => ({
      at,
      text: `- ${sinceStart(at)}: ${level}: ${formatCodeSpan(text)}`,
    })),
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
      failure === null
        ? amountsText(spent ?? {}) || 'no reply'
        : `failed: ${formatCodeSpan(appendRemedy(failure))}`;
    return `- model ${formatCodeSpan(model ?? 'unknown')}, ${formatCodeSpan(call)}: ${cost}${unknown ? ' (estimated)' : ''}${overspendText(over)}`;
  });
  const refusalLines = exhausted.map(
    ({ resource, spent, limit, held, requested }) =>
      `- out of ${resource}: ${requested} asked for, ${spent} spent and ${held} held of ${limit}`,
  );
  return [
    `### Step ${step}, ${at}`,
    ...joinLines([...callLines, ...refusalLines]),
    ...actions.map(actionText),
  ].join('\n\n');
}

const overspendText = (over: Amounts | null): string =>
  over === null ? '' : ` (${amountsText(over)} more than was reserved)`;

function joinLines(lines: readonly string[]): readonly string[] {
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
  return `${formatCodeSpan(action)}: ${resultText}\n\n${fenceText(facts.filter((fact) => fact !== '').join('\n'))}`;
}

function coverageText(result: RunResult | null, evidence: readonly ShownEvidence[]): string {
  const coverage =
    result === null
      ? []
      : [
          `${formatCount(result.coverage.files, 'file')} searched, ${result.coverage.skipped} skipped, ` +
            `${formatCount(result.coverage.searches, 'search', 'searches')}, ${formatCount(result.coverage.files_read, 'file')} read; ` +
            `coverage ${result.coverage.completeness}.`,
          ...joinLines(result.coverage.notes.map((note) => `- ${formatCodeSpan(note)}`)),
        ];
  const place = ({ file_path, start_line, end_line }: ShownEvidence) =>
    formatCodeSpan(`${escapePath(file_path)}:${start_line}-${end_line}`);
  const cited = evidence
    .filter(({ status }) => status !== null)
    .map(
      (shownEvidence) =>
        `${formatCodeSpan(shownEvidence.id)} ${place(shownEvidence)}: **${shownEvidence.status}**\n\n${fenceText(shownEvidence.content)}`,
    );
  const others = evidence
    .filter(({ status }) => status === null)
    .map(
      (shownEvidence) =>
        `- ${formatCodeSpan(shownEvidence.id)} ${place(shownEvidence)} (${shownEvidence.provenance}, step ${shownEvidence.step})`,
    );
  const otherLines = others.length === 0 ? [] : [`Read and not cited:`, others.join('\n')];
  const parts = [...coverage, ...cited, ...otherLines];
  return parts.length === 0 ? 'Nothing yet.' : parts.join('\n\n');
}

function spendingText({ spent, limits, status }: RunState): string {
  const used = resources.filter((name) => spent[name] !== 0 || limits[name] !== undefined);
  const lines = used.map((name) => {
    const limit = limits[name];
    return `- ${formatAmount(name, spent[name])}${limit === undefined ? '' : ` of ${formatAmount(name, limit)}`}`;
  });
  const preamble = status === 'finished' ? [] : ['As far as the log knows:'];
  return lines.length === 0 ? 'Nothing.' : [...preamble, lines.join('\n')].join('\n\n');
}

function amountsText(some: Amounts): string {
  const named = resources.filter((name) => some[name] !== undefined);
  return named.map((name) => formatAmount(name, some[name]!)).join(', ');
}

function endText({ status, stop, updated, resumed }: RunState): string {
  const resumedText =
    resumed === 0 ? '' : ` It was taken up again ${resumed === 1 ? 'once' : `${resumed} times`}.`;
  if (status === 'finished' && stop !== null)
    return `${formatCodeSpan(stop)}: ${endings[stop]}${resumedText}`;
  const last = updated === null ? '' : ` Its last event is of ${new Date(updated).toISOString()}.`;
  return `It has not finished.${last}${resumedText}`;
}
