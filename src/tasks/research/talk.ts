/** The dialogue with the planner: the first words, its turns, and the results of its calls. */
import { type Exhausted, evidenceIdPattern, withRemedy } from '../../core/index.ts';
import { added, type Call, callsOf, noted, type Reply, textOf, turnInWindow } from '../../model/index.ts';
import { turnOptions } from '../turn-options.ts';
import { act, roundTokens } from './act.ts';
import { answerFromPage } from './answer-from-page.ts';
import { backOnce } from './back-once.ts';
import type { Crew } from './crew.ts';
import { logExhausted } from './log.ts';
import { open } from './opening.ts';
import { cancelled, type End, ended, type Pressure, type ResearchState, type Talk } from './state.ts';

/** Replies in a row that call nothing, or, when the answer is due, anything but it. */
const mostIdle = 2;
const mostCalls = 12;

const whys: Readonly<Record<Pressure, string>> = {
  budget: 'The budget is used up to the part kept for the answer.',
  stagnant: 'The last two rounds brought nothing new.',
};
const lastWords =
  'The research ends here: call finalize now, with the answer from the evidence you hold. No other tool is carried out.';

/** The next turn of the planner; before the first, the question is searched for and its names are looked up. */
export async function takeTurn(
  state: ResearchState,
  crew: Crew,
  pressure: Pressure | null,
): Promise<ResearchState> {
  const opened = state.talk === null ? await open(state, crew) : state;
  if (opened === null || opened.talk === null) return cancelled(state);
  const { step } = opened;
  const { talk } = opened;
  const final = pressure !== null;
  const dialogue =
    final && talk.idle === 0 ? noted(talk.dialogue, `${whys[pressure]} ${lastWords}`) : talk.dialogue;
  const key = `step-${step}/${final ? 'answer' : 'model'}${talk.idle === 0 ? '' : `-${talk.idle + 1}`}`;
  const turned = await turnInWindow(crew.step, key, crew.models.planner, dialogue, talk.cut, {
    ...turnOptions(crew, { number: step, name: 'research', key, final }),
    left: crew.pool.remaining({ final }),
    ...(final && { must: 'finalize' }),
  });
  crew.pool.tick();
  // Where nothing was sent, nothing had to give way.
  const cut = turned.kind === 'exhausted' ? talk.cut : turned.cut;
  const said: ResearchState = { ...opened, talk: { ...talk, dialogue, cut } };
  switch (turned.kind) {
    case 'replied': {
      const { by, parts } = turned.reply;
      const reply: Reply = { kind: 'reply', by, parts };
      return callsOf(reply).length > 0
        ? { ...said, pending: { kind: 'call', reply, pressure } }
        : wordsOnly(said, reply, crew, pressure);
    }
    case 'exhausted':
      return usedUp(said, crew, turned, pressure);
    case 'failed': {
      if (crew.signal.aborted) return cancelled(said);
      return ended(said, {
        stop: 'model_failed',
        ...unwritten(`The model failed: ${withRemedy(turned.failure)}`),
      });
    }
    case 'cancelled':
      return cancelled(said);
  }
}

const unwritten = (trouble: string): Omit<End, 'stop'> => ({ answer: null, confidence: null, trouble });

/** All that was said is not paid for any more: an answer over a page of it may be. */
function usedUp(
  state: ResearchState,
  crew: Crew,
  exhausted: Exhausted,
  pressure: Pressure | null,
): ResearchState | Promise<ResearchState> {
  logExhausted(crew, state.step, exhausted);
  if (pressure === null) return { ...withIdle(state, 0), pending: { kind: 'choose', pressure: 'budget' } };
  return answerFromPage(state, crew, { pressure, why: whys[pressure] });
}

/** A reply without calls: the answer, where it cites held evidence; else it is reminded, once. */
async function wordsOnly(
  state: ResearchState,
  reply: Reply,
  crew: Crew,
  pressure: Pressure | null,
): Promise<ResearchState> {
  const talk = state.talk as Talk;
  const answer = textOf(reply);
  const cited = new Set(answer.match(evidenceIdPattern));
  if (state.evidence.some(({ id }) => cited.has(id))) {
    const words = { answer, confidence: null };
    const back = await backOnce(state, words, crew, pressure);
    if (back !== null)
      return withTalk(
        { ...state, handedBack: words },
        added(talk.dialogue, reply, { kind: 'user', text: back }),
      );
    return ended(state, { stop: pressure ?? 'finalized', ...words, trouble: null });
  }
  const idle = talk.idle + 1;
  if (idle >= mostIdle)
    return ended(state, { stop: pressure ?? 'stagnant', ...unwritten('No usable answer came back.') });
  const reminder = pressure === null ? 'Call a tool, or finalize with the answer.' : lastWords;
  const dialogue = added(talk.dialogue, reply, { kind: 'user', text: reminder });
  return { ...state, talk: { ...talk, dialogue, idle }, pending: { kind: 'choose', pressure } };
}

/** Carries out what the planner called. Where the answer is due, everything else is answered in text alone. */
export async function carryOutCalls(state: ResearchState, crew: Crew): Promise<ResearchState> {
  if (state.pending.kind !== 'call' || state.talk === null)
    throw new RangeError(`step ${state.step} has no calls to carry out`);
  const { reply, pressure } = state.pending;
  const calls = callsOf(reply);
  const due = pressure !== null;
  const how = { reasoning: textOf(reply), due };
  const key = `step-${state.step}/${due ? `answer-${state.talk.idle + 1}` : 'round'}`;
  const finals = calls.filter(({ name }) => name === 'finalize').slice(0, 1);
  const tokens = roundTokens(crew);
  const answered = (await act(state, finals, crew, { ...how, key: `${key}/finalize` }))?.(tokens);
  if (answered === undefined) return cancelled(state);
  const { final } = answered;
  const back = final === undefined ? null : await backOnce(answered.state, final, crew, pressure);
  if (final !== undefined && back === null)
    return ended(answered.state, { stop: pressure ?? 'finalized', ...final, trouble: null });
  if (final !== undefined) {
    const results = calls.map(({ id, name }) =>
      id === finals[0]?.id
        ? { call: id, name, ok: false, text: back as string }
        : { call: id, name, ok: false, text: 'Not carried out: it came beside an answer.' },
    );
    const dialogue = added(state.talk.dialogue, reply, { kind: 'results', results });
    return withTalk({ ...answered.state, handedBack: final }, dialogue);
  }
  const tools = new Set(state.talk.dialogue.tools.map(({ name }) => name));
  const isKnown = ({ name }: Call) => tools.has(name);
  const others = due
    ? []
    : calls.filter((call) => call.name !== 'finalize' && isKnown(call)).slice(0, mostCalls);
  const acted = (await act(answered.state, others, crew, { ...how, key }))?.(tokens);
  if (acted === undefined) return cancelled(state);
  const made = new Map([...answered.results, ...acted.results].map((result) => [result.call, result]));
  const skipped = due ? lastWords : `Not carried out: at most ${mostCalls} calls at once, and one answer.`;
  const results = calls.map((call) => {
    const { id, name } = call;
    const text = isKnown(call) ? skipped : `There is no tool ${name}; there are ${[...tools].join(', ')}.`;
    return made.get(id) ?? { call: id, name, ok: false, text };
  });
  const { dialogue } = state.talk;
  const at = dialogue.entries.length + 1;
  const talk: Talk = {
    ...state.talk,
    dialogue: added(dialogue, reply, { kind: 'results', results }),
    shown: { ...state.talk.shown, ...Object.fromEntries(acted.shown.map((id) => [id, at])) },
    idle: due ? state.talk.idle + 1 : 0,
  };
  const next = { ...acted.state, talk };
  if (!due) {
    const news = answered.news || acted.news || !calls.every(isKnown);
    return { ...next, dry: news ? 0 : state.dry + 1, pending: { kind: 'plan' } };
  }
  if (talk.idle < mostIdle) return { ...next, pending: { kind: 'choose', pressure } };
  return ended(next, { stop: pressure, ...unwritten('No usable answer came back.') });
}

/** The answer is the author's again. */
function withTalk(state: ResearchState, dialogue: Talk['dialogue']): ResearchState {
  const talk = state.talk === null ? null : { ...state.talk, dialogue, idle: 0 };
  return { ...state, talk, dry: 0, pending: { kind: 'plan' } };
}

function withIdle(state: ResearchState, idle: number): ResearchState {
  return state.talk === null ? state : { ...state, talk: { ...state.talk, idle } };
}

/** The word of the program at the end of what was said. */
export function withNote(state: ResearchState, note: string): ResearchState {
  const { talk } = state;
  return talk === null ? state : { ...state, talk: { ...talk, dialogue: noted(talk.dialogue, note) } };
}
