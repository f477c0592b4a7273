/** The dialogue with the planner: its first message, the planner's turns, and the results of its calls. */
import { type BudgetEnd, evidenceIdPattern, withRemedy } from '../../../core/index.ts';
import {
  addEntries,
  addNote,
  type Call,
  callsOf,
  type Reply,
  textOf,
  turnInWindow,
} from '../../../model/index.ts';
import { turnOptions } from '../../turn-options.ts';
import { logExhausted } from '../log.ts';
import type { RunContext } from '../run-context.ts';
import { cancel, type Pressure, type ResearchEnd, type ResearchState, type Talk, withEnd } from '../state.ts';
import { act, roundTokens } from '../step/act.ts';
import { answerFromPage } from './answer-from-page.ts';
import { backOnce } from './back-once.ts';
import { open } from './opening.ts';
import { actionCall, isOfferedIn } from './tools.ts';

/** Number of replies in a row without a call, or, when the answer is due, without the answer, that ends the run. */
const maxIdle = 2;
const maxCalls = 12;

const whys: Readonly<Record<Pressure, string>> = {
  budget: 'The budget is used up to the part kept for the answer.',
  stagnant: 'The last two rounds brought nothing new.',
};
const lastWords =
  'The research ends here: call finalize now, with the answer from the evidence you hold. No other tool is carried out.';

/** The next turn of the planner. Before the first turn, the question is searched for and its names are looked up. */
export async function takeTurn(
  state: ResearchState,
  context: RunContext,
  pressure: Pressure | null,
): Promise<ResearchState> {
  const researchState = state.talk === null ? await open(state, context) : state;
  if (researchState === null || researchState.talk === null) return cancel(state);
  const { step } = researchState;
  const { talk } = researchState;
  const final = pressure !== null;
  const dialogue =
    final && talk.idle === 0 ? addNote(talk.dialogue, `${whys[pressure]} ${lastWords}`) : talk.dialogue;
  const key = `step-${step}/${final ? 'answer' : 'model'}${talk.idle === 0 ? '' : `-${talk.idle + 1}`}`;
  const turnResult = await turnInWindow(context.step, key, context.models.planner, dialogue, talk.cut, {
    ...turnOptions(context, { number: step, name: 'research', key, final }),
    left: context.pool.remaining({ final }),
    ...(final && { must: 'finalize' }),
  });
  context.pool.recordTime();
  // The dialogue is cut only when something is sent.
  const cut = turnResult.kind === 'exhausted' ? talk.cut : turnResult.cut;
  const said: ResearchState = { ...researchState, talk: { ...talk, dialogue, cut } };
  switch (turnResult.kind) {
    case 'replied': {
      const { by, parts } = turnResult.reply;
      const reply: Reply = { kind: 'reply', by, parts };
      return callsOf(reply).length > 0
        ? { ...said, pending: { kind: 'call', reply, pressure } }
        : wordsOnly(said, reply, context, pressure);
    }
    case 'exhausted':
      return endExhausted(said, context, turnResult, pressure);
    case 'failed': {
      if (context.signal.aborted) return cancel(said);
      return withEnd(said, {
        stop: 'model_failed',
        ...endWithoutAnswer(`The model failed: ${withRemedy(turnResult.failure)}`),
      });
    }
    case 'cancelled':
      return cancel(said);
  }
}

const endWithoutAnswer = (trouble: string): Omit<ResearchEnd, 'stop'> => ({
  answer: null,
  confidence: null,
  trouble,
});

/** The budget no longer pays for the whole dialogue. It may still pay for an answer over a page of evidence. */
function endExhausted(
  state: ResearchState,
  context: RunContext,
  exhausted: BudgetEnd,
  pressure: Pressure | null,
): ResearchState | Promise<ResearchState> {
  logExhausted(context, state.step, exhausted);
  if (pressure === null) return { ...withIdle(state, 0), pending: { kind: 'choose', pressure: 'budget' } };
  return answerFromPage(state, context, { pressure, why: whys[pressure] });
}

/**
 * Handles a reply without calls: it is the answer if it cites evidence of this run; otherwise the model is reminded,
 * once.
 */
async function wordsOnly(
  state: ResearchState,
  reply: Reply,
  context: RunContext,
  pressure: Pressure | null,
): Promise<ResearchState> {
  const talk = state.talk as Talk;
  const answer = textOf(reply);
  const cited = new Set(answer.match(evidenceIdPattern));
  if (state.evidence.some(({ id }) => cited.has(id))) {
    const words = { answer, confidence: null };
    const back = await backOnce(state, words, context, pressure);
    if (back !== null)
      return withTalk(
        { ...state, handedBack: words },
        addEntries(talk.dialogue, reply, { kind: 'user', text: back }),
      );
    return withEnd(state, { stop: pressure ?? 'finalized', ...words, trouble: null });
  }
  const idle = talk.idle + 1;
  if (idle >= maxIdle)
    return withEnd(state, {
      stop: pressure ?? 'stagnant',
      ...endWithoutAnswer('No usable answer came back.'),
    });
  const reminder = pressure === null ? 'Call a tool, or finalize with the answer.' : lastWords;
  const dialogue = addEntries(talk.dialogue, reply, { kind: 'user', text: reminder });
  return { ...state, talk: { ...talk, dialogue, idle }, pending: { kind: 'choose', pressure } };
}

/** Carries out the planner's calls. If the answer is due, each other call only gets a text in reply. */
export async function runCalls(state: ResearchState, context: RunContext): Promise<ResearchState> {
  if (state.pending.kind !== 'call' || state.talk === null)
    throw new RangeError(`step ${state.step} has no calls to carry out`);
  const { reply, pressure } = state.pending;
  const calls = callsOf(reply);
  const due = pressure !== null;
  const how = { reasoning: textOf(reply), due };
  const key = `step-${state.step}/${due ? `answer-${state.talk.idle + 1}` : 'round'}`;
  const finals = calls.filter(({ name }) => name === 'finalize').slice(0, 1);
  const tokens = roundTokens(context);
  const actResult = (await act(state, finals, context, { ...how, key: `${key}/finalize` }))?.(tokens);
  if (actResult === undefined) return cancel(state);
  const { final } = actResult;
  const back = final === undefined ? null : await backOnce(actResult.state, final, context, pressure);
  if (final !== undefined && back === null)
    return withEnd(actResult.state, { stop: pressure ?? 'finalized', ...final, trouble: null });
  if (final !== undefined) {
    const results = calls.map(({ id, name }) =>
      id === finals[0]?.id
        ? { call: id, name, ok: false, text: back as string }
        : { call: id, name, ok: false, text: 'Not carried out: it came beside an answer.' },
    );
    const dialogue = addEntries(state.talk.dialogue, reply, { kind: 'results', results });
    return withTalk({ ...actResult.state, handedBack: final }, dialogue);
  }
  const { tools } = state.talk.dialogue;
  const isKnown = ({ name }: Call) => isOfferedIn(tools, name);
  const others = due
    ? []
    : calls
        .filter((call) => call.name !== 'finalize' && isKnown(call))
        .slice(0, maxCalls)
        .map((call) => actionCall(call, tools));
  const acted = (await act(actResult.state, others, context, { ...how, key }))?.(tokens);
  if (acted === undefined) return cancel(state);
  const made = new Map([...actResult.results, ...acted.results].map((result) => [result.call, result]));
  const skipped = due ? lastWords : `Not carried out: at most ${maxCalls} calls at once, and one answer.`;
  const results = calls.map((call) => {
    const { id, name } = call;
    const text = isKnown(call)
      ? skipped
      : `There is no tool ${name}; there are ${tools.map((tool) => tool.name).join(', ')}.`;
    return { ...(made.get(id) ?? { call: id, ok: false, text }), name };
  });
  const { dialogue } = state.talk;
  const at = dialogue.entries.length + 1;
  const talk: Talk = {
    ...state.talk,
    dialogue: addEntries(dialogue, reply, { kind: 'results', results }),
    shown: { ...state.talk.shown, ...Object.fromEntries(acted.shown.map((id) => [id, at])) },
    idle: due ? state.talk.idle + 1 : 0,
  };
  const next = { ...acted.state, talk };
  if (!due) {
    const news = actResult.news || acted.news || !calls.every(isKnown);
    return {
      ...next,
      stepsWithoutEvidence: news ? 0 : state.stepsWithoutEvidence + 1,
      pending: { kind: 'plan' },
    };
  }
  if (talk.idle < maxIdle) return { ...next, pending: { kind: 'choose', pressure } };
  return withEnd(next, { stop: pressure, ...endWithoutAnswer('No usable answer came back.') });
}

/** Gives the turn back to the author of an answer. */
function withTalk(state: ResearchState, dialogue: Talk['dialogue']): ResearchState {
  const talk = state.talk === null ? null : { ...state.talk, dialogue, idle: 0 };
  return { ...state, talk, stepsWithoutEvidence: 0, pending: { kind: 'plan' } };
}

function withIdle(state: ResearchState, idle: number): ResearchState {
  return state.talk === null ? state : { ...state, talk: { ...state.talk, idle } };
}

/** Adds a note of the program at the end of the dialogue. */
export function withNote(state: ResearchState, note: string): ResearchState {
  const { talk } = state;
  return talk === null ? state : { ...state, talk: { ...talk, dialogue: addNote(talk.dialogue, note) } };
}
