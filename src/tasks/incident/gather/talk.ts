/** The dialogue with a model: its turns, the results of its calls, and the conclusion that ends them. */
import { appendRemedy, type BudgetEnd, evidenceIdPattern, resourceNames } from '../../../core/index.ts';
import {
  addEntries,
  addNote,
  callsOf,
  type Reply,
  type Result,
  requestTurnInWindow,
  textOf,
} from '../../../model/index.ts';
import { turnOptions } from '../../turn-options.ts';
import { concludeTool, readConclusion } from '../diagnose/conclusion.ts';
import { parseConclusion } from '../diagnose/parse-conclusion.ts';
import type { RunContext } from '../run-context.ts';
import { type IncidentState, mergeUpdates, type Talk } from '../state.ts';
import { openDialogue } from './opening.ts';
import { runRound } from './round.ts';
import { openShortestPage } from './shortest-page.ts';
import { listUnasked } from './status-texts.ts';
import type { GatherTool } from './tools.ts';

export type Pressure = 'budget' | 'stagnant';

/** Maximum number of questions in one turn. */
const maxCalls = 6;
/** How many replies of one turn may call no tool. If a conclusion is due, other calls count as none. */
const maxWithoutCall = 2;
/** In this many last turns, the model may conclude without further questions. */
const maxEarlyTurns = 3;

const pressureTexts: Readonly<Record<Pressure, string>> = {
  budget: 'Only the part of the turns and the budget that is reserved for the conclusion is left.',
  stagnant: 'The last two turns brought nothing new.',
};
const lastCallText =
  'The investigation ends here: call conclude now, with what the evidence shows. Nothing else is carried out.';
const reminder = 'Ask a question, or call conclude: words alone end nothing.';

export interface TurnSetting {
  readonly iteration: number;
  readonly tools: readonly GatherTool[];
  readonly pressure: Pressure | null;
}

export type TalkStep = { readonly kind: 'next' | 'end'; readonly state: IncidentState };

export async function takeTurn(
  start: IncidentState,
  context: RunContext,
  setting: TurnSetting,
): Promise<TalkStep> {
  const { iteration, tools } = setting;
  let { pressure } = setting;
  const due = pressure === null ? {} : { due: formatDue(pressure) };
  const began =
    start.talk === null
      ? await openDialogue(start, context, { iteration, key: `turn-${iteration}/opening`, tools, ...due })
      : start;
  if (began === null) return toCancelled(start);
  let state = pressure === null || start.talk === null ? began : addProgramNote(began, formatDue(pressure));
  for (let replies = 1; ; ) {
    const talk = state.talk as Talk;
    const key = `turn-${iteration}/${pressure === null ? 'model' : 'answer'}${replies === 1 ? '' : `-${replies}`}`;
    const turnResult = await requestReply(talk, context, { key, iteration, pressure });
    // The dialogue is cut only when a message is sent.
    if (turnResult.kind !== 'exhausted') state = updateTalk(state, { cut: turnResult.cut });
    switch (turnResult.kind) {
      case 'cancelled':
        return toCancelled(state);
      case 'failed':
        if (context.signal.aborted) return toCancelled(state);
        return toEnd(endWithoutModel(state, appendRemedy(turnResult.failure)));
      case 'exhausted':
        if (pressure !== null)
          return continueOnPage(state, context, setting, { pressure, exhausted: turnResult });
        logExhausted(context, iteration, turnResult);
        pressure = 'budget';
        replies = 1;
        state = addProgramNote(state, formatDue(pressure));
        continue;
    }
    const { by, parts } = turnResult.reply;
    const turnOutcome = await takeReply(state, { kind: 'reply', by, parts }, context, {
      ...setting,
      pressure,
      replies,
    });
    if (turnOutcome.kind !== 'again') return turnOutcome;
    state = turnOutcome.state;
    replies += 1;
  }
}

type TurnOutcome = TalkStep | { readonly kind: 'again'; readonly state: IncidentState };
type ReplyContext = TurnSetting & { readonly replies: number };

const formatDue = (pressure: Pressure): string => `${pressureTexts[pressure]} ${lastCallText}`;

function requestReply(
  { dialogue, cut }: Talk,
  context: RunContext,
  {
    key,
    iteration,
    pressure,
  }: { readonly key: string; readonly iteration: number; readonly pressure: Pressure | null },
) {
  const final = pressure !== null;
  return requestTurnInWindow(context.step, key, context.models.planner, dialogue, cut, {
    ...turnOptions(context, { number: iteration, name: 'incident', key, final }),
    left: context.pool.remaining({ final }),
    ...(final && { must: concludeTool.name }),
  }).finally(() => context.pool.recordTime());
}

/** Interprets a reply: the conclusion, a round of questions, or an explanation of why it is neither. */
async function takeReply(
  state: IncidentState,
  reply: Reply,
  context: RunContext,
  replyContext: ReplyContext,
): Promise<TurnOutcome> {
  const { iteration, pressure, replies, tools } = replyContext;
  const calls = callsOf(reply);
  if (calls.length === 0) return takeText(state, reply, replyContext);
  const last = calls.find(({ name }) => name === concludeTool.name);
  const read = last === undefined ? null : readConclusion(last.input);
  const refusal = last === undefined ? null : refuseEarlyConclusion(state, context, replyContext);
  if (last !== undefined && read?.kind === 'read' && refusal === null) {
    const concluded = { written: read.written, reply, call: last.id };
    return toEnd(mergeUpdates(state, { concluded, stop: pressure ?? 'finalized' }));
  }
  const asked =
    pressure === null ? calls.filter(({ name }) => name !== concludeTool.name).slice(0, maxCalls) : [];
  const round = await runRound(state, asked, context, { iteration, reasoning: textOf(reply), tools });
  if (round === null) return toCancelled(state);
  const made = new Map(round.results.map((result) => [result.call, result]));
  const conclusion =
    refusal ??
    (read?.kind === 'unfit' ? `It could not be read: ${read.why}. Call conclude again, whole.` : '');
  const results = calls.map(
    ({ id, name }): Result =>
      made.get(id) ?? {
        call: id,
        name,
        ok: false,
        text: name === concludeTool.name && conclusion !== '' ? conclusion : notAskedNote(pressure),
      },
  );
  const talk = state.talk as Talk;
  const at = talk.dialogue.entries.length + 1;
  const next = updateTalk(round.state, {
    dialogue: addEntries(talk.dialogue, reply, { kind: 'results', results }),
    shown: { ...talk.shown, ...Object.fromEntries(round.shown.map((id) => [id, at])) },
  });
  if (asked.length > 0)
    return { kind: 'next', state: updateTalk(next, { dry: round.hasNews ? 0 : talk.dry + 1 }) };
  if (replies < maxWithoutCall) return { kind: 'again', state: next };
  return toEnd(
    mergeUpdates(next, { stop: pressure ?? 'stagnant', notes: ['No usable conclusion came back.'] }),
  );
}

const notAskedNote = (pressure: Pressure | null): string =>
  pressure === null ? `Not asked: at most ${maxCalls} questions at once.` : lastCallText;

/** The objection to a conclusion that comes too early, as from command-line agents; null if it is accepted. */
function refuseEarlyConclusion(
  state: IncidentState,
  { models, limits }: RunContext,
  { iteration, pressure }: ReplyContext,
): string | null {
  const isAgent = /^(claude|codex)-cli\b/.test(models.planner.name);
  if (!isAgent || pressure !== null || iteration > limits.iterations - maxEarlyTurns) return null;
  const open = listUnasked(state);
  return open.length === 0
    ? null
    : `Do not conclude yet. These planned questions were not asked: ${open.join(', ')}.`;
}

/** Handles a reply without a call: the model is reminded once; after that, its text is parsed as the conclusion. */
function takeText(state: IncidentState, reply: Reply, { pressure, replies }: ReplyContext): TurnOutcome {
  const talk = state.talk as Talk;
  const words = textOf(reply);
  const text = pressure === null ? reminder : lastCallText;
  if (replies < maxWithoutCall) {
    const dialogue = addEntries(talk.dialogue, reply, { kind: 'user', text });
    return { kind: 'again', state: updateTalk(state, { dialogue }) };
  }
  const citedIds = new Set(words.match(evidenceIdPattern));
  if (!state.evidence.some(({ id }) => citedIds.has(id)))
    return toEnd(
      mergeUpdates(state, { stop: pressure ?? 'stagnant', notes: ['No usable conclusion came back.'] }),
    );
  const concluded = { written: parseConclusion(words), reply: null, call: '' };
  const note = 'The model wrote its conclusion as plain text, and the program parsed it.';
  return toEnd(mergeUpdates(state, { concluded, stop: pressure ?? 'finalized', notes: [note] }));
}

/**
 * The budget no longer pays for the whole dialogue. A shorter page of it may be affordable; if its size is unknown, an
 * even shorter one that begins with the same words.
 */
async function continueOnPage(
  state: IncidentState,
  context: RunContext,
  { iteration }: TurnSetting,
  short: { readonly pressure: Pressure; readonly exhausted: BudgetEnd },
): Promise<TalkStep> {
  const { pressure } = short;
  let { exhausted } = short;
  const dueNote = formatDue(pressure);
  const pages: readonly (readonly [key: string, page: (key: string) => Promise<IncidentState | null>])[] = [
    ['page', (key) => openDialogue(state, context, { iteration, key, tools: [], due: dueNote })],
    ['bare', (key) => openShortestPage(state, context, { iteration, key, dueNote })],
  ];
  for (const [name, make] of pages) {
    const key = `turn-${iteration}/${name}`;
    const shortened = await make(key);
    if (shortened === null) return toCancelled(state);
    if (shortened === state) continue;
    const turnResult = await requestReply(shortened.talk as Talk, context, {
      key: `${key}/model`,
      iteration,
      pressure,
    });
    switch (turnResult.kind) {
      case 'cancelled':
        return toCancelled(state);
      case 'failed':
        return context.signal.aborted
          ? toCancelled(state)
          : toEnd(endWithoutModel(state, appendRemedy(turnResult.failure)));
      case 'exhausted':
        exhausted = turnResult;
        continue;
      case 'replied': {
        const { by, parts } = turnResult.reply;
        const turnOutcome = await takeReply(shortened, { kind: 'reply', by, parts }, context, {
          iteration,
          tools: [],
          pressure,
          replies: maxWithoutCall,
        });
        return turnOutcome.kind === 'again' ? toEnd(turnOutcome.state) : turnOutcome;
      }
    }
  }
  logExhausted(context, iteration, exhausted);
  const { resource, remedy = '' } = exhausted;
  const message = `The budget (${resourceNames[resource]}) ended before a model could conclude.`;
  const note = appendRemedy({ message, remedy });
  return toEnd(mergeUpdates(state, { stop: 'budget', notes: [note] }));
}

/** Adds a note of the program at the end of the dialogue. */
export function addProgramNote(state: IncidentState, note: string): IncidentState {
  const { dialogue } = state.talk as Talk;
  return updateTalk(state, { dialogue: addNote(dialogue, note) });
}

export function updateTalk(state: IncidentState, more: Partial<Talk>): IncidentState {
  return mergeUpdates(state, { talk: { ...(state.talk as Talk), ...more } });
}

export function logExhausted(
  { tell }: Pick<RunContext, 'tell'>,
  iteration: number,
  exhausted: BudgetEnd,
): void {
  tell(`turn-${iteration}/exhausted-${exhausted.resource}`, {
    kind: 'budget_exhausted',
    step: iteration,
    exhausted,
  });
}

const toEnd = (state: IncidentState): TalkStep => ({ kind: 'end', state });
const toCancelled = (state: IncidentState): TalkStep => toEnd(mergeUpdates(state, { stop: 'cancelled' }));

/** Keeps what was found so far; the diagnosis is written without the model. */
function endWithoutModel(state: IncidentState, why: string): IncidentState {
  return mergeUpdates(state, {
    stop: 'model_failed',
    notes: [`The investigation by the model failed: ${why}`],
  });
}
