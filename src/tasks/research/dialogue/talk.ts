/** The dialogue with the planner: its first message, the planner's turns, and the results of its calls. */
import { appendRemedy, type BudgetEnd, evidenceIdPattern } from '../../../core/index.ts';
import {
  addEntries,
  addNote,
  type Call,
  callsOf,
  type Reply,
  requestTurnInWindow,
  textOf,
} from '../../../model/index.ts';
import { turnOptions } from '../../turn-options.ts';
import { logExhausted } from '../log.ts';
import type { RunContext } from '../run-context.ts';
import { cancel, type Pressure, type ResearchState, type Talk, withEnd } from '../state.ts';
import { makeCalls, roundTokens } from '../step/act.ts';
import { answerFromPage, endWithoutAnswer } from './answer-from-page.ts';
import { findObjections } from './back-once.ts';
import { openDialogue } from './opening.ts';
import { actionCall, isOfferedIn } from './tools.ts';

/**
 * Number of consecutive replies without a call or, if the answer is due, without the answer, after which the run ends.
 */
const maxIdleReplies = 2;
const maxCalls = 12;

const endReasons: Readonly<Record<Pressure, string>> = {
  budget: 'The budget is used up to the part kept for the answer.',
  stagnant: 'The last two rounds brought nothing new.',
};
const answerNow =
  'The research ends here: call finalize now, with the answer from the evidence you hold. No other tool is carried out.';

/**
 * Runs the next turn of the planner. Before the first turn, it searches for the question and looks up the names in it.
 */
export async function takeTurn(
  state: ResearchState,
  context: RunContext,
  pressure: Pressure | null,
): Promise<ResearchState> {
  const researchState = state.talk === null ? await openDialogue(state, context) : state;
  if (researchState === null || researchState.talk === null) return cancel(state);
  const { step } = researchState;
  const { talk } = researchState;
  const final = pressure !== null;
  const dialogue =
    final && talk.idle === 0 ? addNote(talk.dialogue, `${endReasons[pressure]} ${answerNow}`) : talk.dialogue;
  const key = `step-${step}/${final ? 'answer' : 'model'}${talk.idle === 0 ? '' : `-${talk.idle + 1}`}`;
  const turnResult = await requestTurnInWindow(
    context.step,
    key,
    context.models.planner,
    dialogue,
    talk.cut,
    {
      ...turnOptions(context, { number: step, name: 'research', key, final }),
      left: context.pool.remaining({ final }),
      ...(final && { must: 'finalize' }),
    },
  );
  context.pool.recordTime();
  // The cut changes only if a request was sent.
  const cut = turnResult.kind === 'exhausted' ? talk.cut : turnResult.cut;
  const afterTurn: ResearchState = { ...researchState, talk: { ...talk, dialogue, cut } };
  switch (turnResult.kind) {
    case 'replied': {
      const { by, parts } = turnResult.reply;
      const reply: Reply = { kind: 'reply', by, parts };
      return callsOf(reply).length > 0
        ? { ...afterTurn, pending: { kind: 'call', reply, pressure } }
        : handleText(afterTurn, reply, context, pressure);
    }
    case 'exhausted':
      return endExhausted(afterTurn, context, turnResult, pressure);
    case 'failed': {
      if (context.signal.aborted) return cancel(afterTurn);
      return withEnd(afterTurn, {
        stop: 'model_failed',
        ...endWithoutAnswer(`The model failed: ${appendRemedy(turnResult.failure)}`),
      });
    }
    case 'cancelled':
      return cancel(afterTurn);
  }
}

/** The budget no longer pays for the whole dialogue. It may still pay for an answer over a page of evidence. */
function endExhausted(
  state: ResearchState,
  context: RunContext,
  exhausted: BudgetEnd,
  pressure: Pressure | null,
): ResearchState | Promise<ResearchState> {
  logExhausted(context, state.step, exhausted);
  if (pressure === null) return { ...withIdle(state, 0), pending: { kind: 'choose', pressure: 'budget' } };
  return answerFromPage(state, context, { pressure, why: endReasons[pressure] });
}

/**
 * Handles a reply without calls. It is the answer if it cites evidence of this run; otherwise the model is reminded
 * once to call a tool.
 */
async function handleText(
  state: ResearchState,
  reply: Reply,
  context: RunContext,
  pressure: Pressure | null,
): Promise<ResearchState> {
  const talk = state.talk as Talk;
  const answer = textOf(reply);
  const cited = new Set(answer.match(evidenceIdPattern));
  if (state.evidence.some(({ id }) => cited.has(id))) {
    const textAnswer = { answer, confidence: null };
    const objections = await findObjections(state, textAnswer, context, pressure);
    if (objections !== null)
      return returnToAuthor(
        { ...state, returnedAnswer: textAnswer },
        addEntries(talk.dialogue, reply, { kind: 'user', text: objections }),
      );
    return withEnd(state, { stop: pressure ?? 'finalized', ...textAnswer, trouble: null });
  }
  const idle = talk.idle + 1;
  if (idle >= maxIdleReplies)
    return withEnd(state, {
      stop: pressure ?? 'stagnant',
      ...endWithoutAnswer('No usable answer came back.'),
    });
  const reminder = pressure === null ? 'Call a tool, or finalize with the answer.' : answerNow;
  const dialogue = addEntries(talk.dialogue, reply, { kind: 'user', text: reminder });
  return { ...state, talk: { ...talk, dialogue, idle }, pending: { kind: 'choose', pressure } };
}

/**
 * Carries out the planner's calls. If the answer is due, only `finalize` is carried out, and any other call is answered
 * with the request for the answer.
 */
export async function runCalls(state: ResearchState, context: RunContext): Promise<ResearchState> {
  if (state.pending.kind !== 'call' || state.talk === null)
    throw new RangeError(`step ${state.step} has no calls to carry out`);
  const { reply, pressure } = state.pending;
  const calls = callsOf(reply);
  const isAnswerDue = pressure !== null;
  const actOptions = { reasoning: textOf(reply), isAnswerDue };
  const key = `step-${state.step}/${isAnswerDue ? `answer-${state.talk.idle + 1}` : 'round'}`;
  const answerCalls = calls.filter(({ name }) => name === 'finalize').slice(0, 1);
  const tokens = roundTokens(context);
  const answerResult = (
    await makeCalls(state, answerCalls, context, { ...actOptions, key: `${key}/finalize` })
  )?.(tokens);
  if (answerResult === undefined) return cancel(state);
  const { final } = answerResult;
  const objections =
    final === undefined ? null : await findObjections(answerResult.state, final, context, pressure);
  if (final !== undefined && objections === null)
    return withEnd(answerResult.state, { stop: pressure ?? 'finalized', ...final, trouble: null });
  if (final !== undefined) {
    const results = calls.map(({ id, name }) =>
      id === answerCalls[0]?.id
        ? { call: id, name, ok: false, text: objections as string }
        : { call: id, name, ok: false, text: 'Not carried out: it came beside an answer.' },
    );
    const dialogue = addEntries(state.talk.dialogue, reply, { kind: 'results', results });
    return returnToAuthor({ ...answerResult.state, returnedAnswer: final }, dialogue);
  }
  const { tools } = state.talk.dialogue;
  const isKnown = ({ name }: Call) => isOfferedIn(tools, name);
  const otherCalls = isAnswerDue
    ? []
    : calls
        .filter((call) => call.name !== 'finalize' && isKnown(call))
        .slice(0, maxCalls)
        .map((call) => actionCall(call, tools));
  const othersResult = (await makeCalls(answerResult.state, otherCalls, context, { ...actOptions, key }))?.(
    tokens,
  );
  if (othersResult === undefined) return cancel(state);
  const resultsById = new Map(
    [...answerResult.results, ...othersResult.results].map((result) => [result.call, result]),
  );
  const skippedText = isAnswerDue
    ? answerNow
    : `Not carried out: at most ${maxCalls} calls at once, and one answer.`;
  const results = calls.map((call) => {
    const { id, name } = call;
    const text = isKnown(call)
      ? skippedText
      : `There is no tool ${name}; there are ${tools.map((tool) => tool.name).join(', ')}.`;
    return { ...(resultsById.get(id) ?? { call: id, ok: false, text }), name };
  });
  const { dialogue } = state.talk;
  const resultsEntry = dialogue.entries.length + 1;
  const talk: Talk = {
    ...state.talk,
    dialogue: addEntries(dialogue, reply, { kind: 'results', results }),
    shown: { ...state.talk.shown, ...Object.fromEntries(othersResult.shown.map((id) => [id, resultsEntry])) },
    idle: isAnswerDue ? state.talk.idle + 1 : 0,
  };
  const nextState = { ...othersResult.state, talk };
  if (!isAnswerDue) {
    const hasNews = answerResult.hasNews || othersResult.hasNews || !calls.every(isKnown);
    return {
      ...nextState,
      stepsWithoutEvidence: hasNews ? 0 : state.stepsWithoutEvidence + 1,
      pending: { kind: 'plan' },
    };
  }
  if (talk.idle < maxIdleReplies) return { ...nextState, pending: { kind: 'choose', pressure } };
  return withEnd(nextState, { stop: pressure, ...endWithoutAnswer('No usable answer came back.') });
}

/** Returns an answer to its author, who gets the next turn. */
function returnToAuthor(state: ResearchState, dialogue: Talk['dialogue']): ResearchState {
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
