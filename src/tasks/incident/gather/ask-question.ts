/**
 * Asks one system one question, within its time limit and the window of the incident. The answer is recorded before it
 * is used.
 */
import {
  type Change,
  canonicalJson,
  maskSecrets,
  messageOf,
  type Observation,
  plainMask,
  type RunEvent,
  type SignalFailure,
} from '../../../core/index.ts';
import { widenForChanges } from '../alert/window.ts';
import type { RunContext } from '../run-context.ts';
import { validateReply } from '../signal-replies.ts';
import type { CallMade, IncidentState } from '../state.ts';
import { isSlow, listLeftOutSystems, systemName } from './breaker.ts';
import { type Compute, createDocument, type Document, type RecordedDocument } from './documents.ts';
import type { GatherTool } from './tools.ts';

/** Limits of one reply. A model reads the text; the rules use the rows. */
const maxRows = 6_000;
const maxTextBytes = 12_000;

export interface AskResult {
  readonly call: CallMade;
  readonly document: Document | null;
}

export const callKey = (tool: string, args: Readonly<Record<string, unknown>>): string =>
  `${tool} ${canonicalJson(args)}`;

/** The earlier call with the same arguments that was answered. A failed call does not count. */
export function findAnswered(
  calls: readonly CallMade[],
  tool: string,
  args: Readonly<Record<string, unknown>>,
): CallMade | null {
  const wanted = callKey(tool, args);
  return (
    calls.find(
      (call) =>
        (call.outcome === 'ok' || call.outcome === 'empty') && callKey(call.tool, call.arguments) === wanted,
    ) ?? null
  );
}

/** How often each question was asked, answered or not. */
export function countAsked({ calls }: Pick<IncidentState, 'calls'>, tool: string): number {
  const unasked: readonly CallMade['outcome'][] = ['duplicate', 'refused'];
  return calls.filter((call) => call.tool === tool && !unasked.includes(call.outcome)).length;
}

/** The recorded answer. Older runs did not record how long it took. */
type RecordedReply = (Observation | SignalFailure) & { readonly took_ms?: number };

/** The fields needed to ask a question, in an incident or in another kind of run over the same systems. */
export type QuestionState = Pick<IncidentState, 'window' | 'calls' | 'evidence'>;
export type QuestionContext = Pick<RunContext, 'step' | 'clock' | 'signal' | 'mask' | 'changedNames'> & {
  readonly pool: Pick<RunContext['pool'], 'timeLeft' | 'recordTime'>;
  readonly limits: Pick<RunContext['limits'], 'tool_ms'>;
};

/** Null if the person stopped the run meanwhile: then nothing is recorded. */
export async function askQuestion(
  state: QuestionState,
  context: QuestionContext,
  tool: GatherTool,
  args: Readonly<Record<string, unknown>>,
  {
    iteration,
    key,
    reasoning,
    nth,
    compute,
  }: {
    readonly iteration: number;
    readonly key: string;
    readonly reasoning: string;
    /** Counts this question's calls, this one included: the number in the name of its document. */
    readonly nth: number;
    /** Computes lines from the rows; by default those for an incident. */
    readonly compute?: Compute;
  },
): Promise<AskResult | null> {
  const toResult = (answer: RecordedReply): AskResult =>
    answer.kind === 'failure'
      ? toFailed(tool, args, iteration, answer)
      : toAnswered(tool, args, { iteration, nth, compute }, answer);
  const stepResult = await context.step<RecordedReply>(key, {
    startEvent: {
      kind: 'action_started',
      step: iteration,
      call: key,
      action: tool.name,
      input: args,
      reasoning,
    },
    async run() {
      const started = context.clock.now();
      const outcome = toSkippedFailure(state, tool) ?? (await askWithTimeout(state, context, tool, args));
      const took_ms = context.clock.now() - started;
      const answer: RecordedReply = { ...(await addChangedNames(outcome, context)), took_ms };
      context.pool.recordTime();
      const { call, document } = toResult(answer);
      const knownIds = new Set(state.evidence.map(({ id }) => id));
      const fresh = (document?.evidence ?? []).filter(({ id }) => !knownIds.has(id));
      const registered = fresh.map((evidence): [string, RunEvent] => [
        `${key}/evidence/${evidence.id}`,
        { kind: 'evidence_registered', step: iteration, evidence },
      ]);
      const finished: RunEvent = {
        kind: 'action_finished',
        step: iteration,
        call: key,
        action: tool.name,
        outcome: answer.kind === 'failure' ? 'error' : 'ok',
        summary: call.summary,
        evidence: call.evidence,
        fresh: fresh.length,
        completeness: answer.kind === 'failure' ? 'unknown' : answer.completeness,
        wall_ms: answer.took_ms ?? 0,
      };
      return { value: answer, events: [...registered, [`${key}/finished`, finished]] };
    },
  });
  return stepResult.kind === 'done' ? toResult(stepResult.value) : null;
}

/** The failure of a question that is not asked, since its system was too slow before. */
function toSkippedFailure({ calls }: QuestionState, { name, signal }: GatherTool): SignalFailure | null {
  const system = signal === null ? null : systemName(signal);
  if (system === null || !listLeftOutSystems(calls).includes(system)) return null;
  return {
    kind: 'failure',
    reason: 'timeout',
    message: `${name} was not asked: ${system} was too slow before, and is left out for this run`,
  };
}

async function askWithTimeout(
  { window }: QuestionState,
  context: QuestionContext,
  { question, name }: GatherTool,
  args: Readonly<Record<string, unknown>>,
): Promise<Observation | SignalFailure> {
  if (question === null || window === null) throw new RangeError(`${name} is no question of a system`);
  const timeoutMs = Math.max(1, Math.min(context.limits.tool_ms, context.pool.timeLeft()));
  const ends = new AbortController();
  const signal = AbortSignal.any([context.signal, ends.signal]);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<SignalFailure>((resolve) => {
    timer = setTimeout(() => {
      resolve({
        kind: 'failure',
        reason: 'timeout',
        message: `${name} took longer than ${timeoutMs / 1000} s and was given up`,
      });
      ends.abort();
    }, timeoutMs);
    context.signal.addEventListener(
      'abort',
      () => resolve({ kind: 'failure', reason: 'cancelled', message: 'cancelled' }),
      {
        once: true,
        signal: ends.signal,
      },
    );
  });
  const { mask = plainMask } = context;
  const request = {
    window: question.topic === 'changes' ? widenForChanges(window) : window,
    limits: { rows: maxRows, bytes: maxTextBytes, timeoutMs },
    signal,
    mask,
  };
  // A question that throws unexpectedly fails alone, and does not end the run.
  const reply = (async () => validateReply(name, await question.ask(args, request)))().catch(
    (thrown: unknown): SignalFailure => ({
      kind: 'failure',
      reason: 'bad_query',
      message: mask.system(`${name}: ${messageOf(thrown)}`).slice(0, 400),
    }),
  );
  try {
    return await Promise.race([reply, late]);
  } finally {
    clearTimeout(timer);
    ends.abort();
  }
}

/**
 * Maximum milliseconds for parsing the diffs of one answer. Diffs that are not parsed by then are compared by their
 * words.
 */
const parseTimeoutMs = 4_000;
/** Only the newest changes of an answer are parsed: more would take the time of the next questions. */
const maxParsed = 60;

async function addChangedNames(
  answer: Observation | SignalFailure,
  { changedNames, signal, clock }: QuestionContext,
): Promise<Observation | SignalFailure> {
  if (changedNames === undefined || answer.kind === 'failure' || answer.rows.kind !== 'changes')
    return answer;
  const ends = clock.now() + parseTimeoutMs;
  const changes: Change[] = [];
  for (const [n, change] of answer.rows.changes.entries()) {
    const wait = ends - clock.now();
    const isRead =
      n < maxParsed && wait > 0 && !signal.aborted && change.diff !== null && change.kind === 'commit';
    const names = isRead ? await changedNames(change, wait) : null;
    changes.push(names === null ? change : { ...change, names });
  }
  return { ...answer, rows: { kind: 'changes', changes } };
}

const toSystemField = ({ signal }: GatherTool): Pick<CallMade, 'system'> =>
  signal === null ? {} : { system: systemName(signal) };

function toFailed(
  tool: GatherTool,
  args: Readonly<Record<string, unknown>>,
  iteration: number,
  failure: SignalFailure & { readonly took_ms?: number },
): AskResult {
  return {
    call: {
      iteration,
      tool: tool.name,
      arguments: args,
      outcome: 'failed',
      summary: `${failure.reason}: ${maskSecrets(failure.message)}`,
      evidence: [],
      ...toSystemField(tool),
      late: failure.reason === 'timeout' || isSlow(failure.took_ms),
    },
    document: null,
  };
}

function toAnswered(
  tool: GatherTool,
  args: Readonly<Record<string, unknown>>,
  {
    iteration,
    nth,
    compute,
  }: { readonly iteration: number; readonly nth: number; readonly compute: Compute | undefined },
  { took_ms, ...observed }: Observation & { readonly took_ms?: number },
): AskResult {
  const document = createDocument(`signals/${tool.name}/${nth}`, tool.name, args, observed, compute);
  return {
    call: {
      iteration,
      tool: tool.name,
      arguments: args,
      outcome: document.recorded.empty ? 'empty' : 'ok',
      summary: summarize(document.recorded),
      evidence: document.recorded.evidence,
      ...toSystemField(tool),
      ...(isSlow(took_ms) && { late: true }),
    },
    document,
  };
}

function summarize({ rows, truncated, empty, completeness }: RecordedDocument): string {
  if (empty) return 'nothing';
  const counts: Readonly<Record<RecordedDocument['rows']['kind'], () => string>> = {
    series: () => `${rows.kind === 'series' ? rows.series.length : 0} series`,
    lines: () => `${rows.kind === 'lines' ? rows.lines.length : 0} lines`,
    patterns: () =>
      rows.kind === 'patterns' ? `${rows.patterns.length} patterns of ${rows.lines} lines` : '',
    changes: () => `${rows.kind === 'changes' ? rows.changes.length : 0} changes`,
    spans: () => `${rows.kind === 'spans' ? rows.spans.length : 0} spans`,
    alerts: () => `${rows.kind === 'alerts' ? rows.alerts.length : 0} alerts`,
    table: () => `${rows.kind === 'table' ? rows.rows.length : 0} rows`,
  };
  const cut =
    truncated === null
      ? ''
      : `; cut, ${truncated.shown} of ${truncated.total ?? 'an unknown number'} are shown`;
  return `${counts[rows.kind]()}${cut}${completeness === 'complete' ? '' : `; ${completeness}`}`;
}
