/** The dialogue with a model: its turns, the results of its calls, and the conclusion that ends them. */
import { type Exhausted, evidenceIdPattern, withRemedy } from '../../../core/index.ts';
import {
  added,
  callsOf,
  noted,
  type Reply,
  type Result,
  textOf,
  turnInWindow,
} from '../../../model/index.ts';
import { turnOptions } from '../../turn-options.ts';
import type { Crew } from '../crew.ts';
import { concludeTool, readConclusion } from '../diagnose/conclusion.ts';
import { parseConclusion } from '../diagnose/parse-conclusion.ts';
import { type IncidentState, merged, type Talk } from '../state.ts';
import { barePage } from './bare-page.ts';
import { opened } from './opening.ts';
import { carriedOut } from './round.ts';
import { unasked } from './told.ts';
import type { GatherTool } from './tools.ts';

export type Pressure = 'budget' | 'stagnant';

/** Most questions of one turn. */
const mostCalls = 6;
/** Replies of one turn that call nothing, or, when the conclusion is due, anything but it. */
const mostIdle = 2;
/** This near to the end of the turns, nobody is kept from concluding. */
const nearEnd = 3;

const whys: Readonly<Record<Pressure, string>> = {
  budget: 'The turns or the budget are used up to the part kept for the conclusion.',
  stagnant: 'The last two turns brought nothing new.',
};
const lastWords =
  'The investigation ends here: call conclude now, with what the evidence shows. Nothing else is carried out.';
const reminder = 'Ask a question, or call conclude: words alone end nothing.';

export interface TurnSetting {
  readonly iteration: number;
  readonly tools: readonly GatherTool[];
  readonly pressure: Pressure | null;
}

export type Turned = { readonly kind: 'next' | 'end'; readonly state: IncidentState };

export async function takeTurn(start: IncidentState, crew: Crew, setting: TurnSetting): Promise<Turned> {
  const { iteration, tools } = setting;
  let { pressure } = setting;
  const due = pressure === null ? {} : { due: dueText(pressure) };
  const began =
    start.talk === null
      ? await opened(start, crew, { iteration, key: `turn-${iteration}/opening`, tools, ...due })
      : start;
  if (began === null) return cancelled(start);
  let state = pressure === null || start.talk === null ? began : withNote(began, dueText(pressure));
  for (let said = 1; ; ) {
    const talk = state.talk as Talk;
    const key = `turn-${iteration}/${pressure === null ? 'model' : 'answer'}${said === 1 ? '' : `-${said}`}`;
    const turned = await replyTo(talk, crew, { key, iteration, pressure });
    // Where nothing was sent, nothing had to give way.
    if (turned.kind !== 'exhausted') state = withTalk(state, { cut: turned.cut });
    switch (turned.kind) {
      case 'cancelled':
        return cancelled(state);
      case 'failed':
        if (crew.signal.aborted) return cancelled(state);
        return end(degraded(state, withRemedy(turned.failure)));
      case 'exhausted':
        if (pressure !== null) return fromPage(state, crew, setting, { pressure, exhausted: turned });
        tellExhausted(crew, iteration, turned);
        pressure = 'budget';
        said = 1;
        state = withNote(state, dueText(pressure));
        continue;
    }
    const { by, parts } = turned.reply;
    const came = await taken(state, { kind: 'reply', by, parts }, crew, { ...setting, pressure, said });
    if (came.kind !== 'again') return came;
    state = came.state;
    said += 1;
  }
}

type Came = Turned | { readonly kind: 'again'; readonly state: IncidentState };
type Saying = TurnSetting & { readonly said: number };

const dueText = (pressure: Pressure): string => `${whys[pressure]} ${lastWords}`;

function replyTo(
  { dialogue, cut }: Talk,
  crew: Crew,
  {
    key,
    iteration,
    pressure,
  }: { readonly key: string; readonly iteration: number; readonly pressure: Pressure | null },
) {
  const final = pressure !== null;
  return turnInWindow(crew.step, key, crew.models.planner, dialogue, cut, {
    ...turnOptions(crew, { number: iteration, name: 'incident', key, final }),
    left: crew.pool.remaining({ final }),
    ...(final && { must: concludeTool.name }),
  }).finally(() => crew.pool.tick());
}

/** What a reply comes to: the conclusion, a round of questions, or a word on why it is neither. */
async function taken(state: IncidentState, reply: Reply, crew: Crew, saying: Saying): Promise<Came> {
  const { iteration, pressure, said, tools } = saying;
  const calls = callsOf(reply);
  if (calls.length === 0) return wordsOnly(state, reply, saying);
  const last = calls.find(({ name }) => name === concludeTool.name);
  const read = last === undefined ? null : readConclusion(last.input);
  const early = last === undefined ? null : tooEarly(state, crew, saying);
  if (last !== undefined && read?.kind === 'read' && early === null) {
    const concluded = { written: read.written, reply, call: last.id };
    return end(merged(state, { concluded, stop: pressure ?? 'finalized' }));
  }
  const asked =
    pressure === null ? calls.filter(({ name }) => name !== concludeTool.name).slice(0, mostCalls) : [];
  const round = await carriedOut(state, asked, crew, { iteration, reasoning: textOf(reply), tools });
  if (round === null) return cancelled(state);
  const made = new Map(round.results.map((result) => [result.call, result]));
  const conclusion =
    early ?? (read?.kind === 'unfit' ? `It could not be read: ${read.why}. Call conclude again, whole.` : '');
  const results = calls.map(
    ({ id, name }): Result =>
      made.get(id) ?? {
        call: id,
        name,
        ok: false,
        text: name === concludeTool.name && conclusion !== '' ? conclusion : notAsked(pressure),
      },
  );
  const talk = state.talk as Talk;
  const at = talk.dialogue.entries.length + 1;
  const next = withTalk(round.state, {
    dialogue: added(talk.dialogue, reply, { kind: 'results', results }),
    shown: { ...talk.shown, ...Object.fromEntries(round.shown.map((id) => [id, at])) },
  });
  if (asked.length > 0)
    return { kind: 'next', state: withTalk(next, { dry: round.news ? 0 : talk.dry + 1 }) };
  if (said < mostIdle) return { kind: 'again', state: next };
  return end(merged(next, { stop: pressure ?? 'stagnant', notes: ['No usable conclusion came back.'] }));
}

const notAsked = (pressure: Pressure | null): string =>
  pressure === null ? `Not asked: at most ${mostCalls} questions at once.` : lastWords;

/** Agents of the command line tend to conclude with the first result in hand. */
function tooEarly(
  state: IncidentState,
  { models, limits }: Crew,
  { iteration, pressure }: Saying,
): string | null {
  const isAgent = /^(claude|codex)-cli\b/.test(models.planner.name);
  if (!isAgent || pressure !== null || iteration > limits.iterations - nearEnd) return null;
  const open = unasked(state);
  return open.length === 0
    ? null
    : `Do not conclude yet. These planned questions were not asked: ${open.join(', ')}.`;
}

/** A reply that calls nothing is reminded; the second time its words are taken apart. */
function wordsOnly(state: IncidentState, reply: Reply, { pressure, said }: Saying): Came {
  const talk = state.talk as Talk;
  const words = textOf(reply);
  const text = pressure === null ? reminder : lastWords;
  if (said < mostIdle) {
    const dialogue = added(talk.dialogue, reply, { kind: 'user', text });
    return { kind: 'again', state: withTalk(state, { dialogue }) };
  }
  const held = new Set(words.match(evidenceIdPattern));
  if (!state.evidence.some(({ id }) => held.has(id)))
    return end(merged(state, { stop: pressure ?? 'stagnant', notes: ['No usable conclusion came back.'] }));
  const concluded = { written: parseConclusion(words), reply: null, call: '' };
  const note = 'The conclusion came as words, and was taken apart by the program.';
  return end(merged(state, { concluded, stop: pressure ?? 'finalized', notes: [note] }));
}

/**
 * The whole dialogue is not paid for any more: a conclusion over a page of it may be, and where its size is
 * unknown, over one that begins as the first words did.
 */
async function fromPage(
  state: IncidentState,
  crew: Crew,
  { iteration }: TurnSetting,
  short: { readonly pressure: Pressure; readonly exhausted: Exhausted },
): Promise<Turned> {
  const { pressure } = short;
  let { exhausted } = short;
  const due = dueText(pressure);
  const pages: readonly (readonly [key: string, page: (key: string) => Promise<IncidentState | null>])[] = [
    ['page', (key) => opened(state, crew, { iteration, key, tools: [], due })],
    ['bare', (key) => barePage(state, crew, { iteration, key, due })],
  ];
  for (const [name, make] of pages) {
    const key = `turn-${iteration}/${name}`;
    const paged = await make(key);
    if (paged === null) return cancelled(state);
    if (paged === state) continue;
    const turned = await replyTo(paged.talk as Talk, crew, { key: `${key}/model`, iteration, pressure });
    switch (turned.kind) {
      case 'cancelled':
        return cancelled(state);
      case 'failed':
        return crew.signal.aborted ? cancelled(state) : end(degraded(state, withRemedy(turned.failure)));
      case 'exhausted':
        exhausted = turned;
        continue;
      case 'replied': {
        const { by, parts } = turned.reply;
        const came = await taken(paged, { kind: 'reply', by, parts }, crew, {
          iteration,
          tools: [],
          pressure,
          said: mostIdle,
        });
        return came.kind === 'again' ? end(came.state) : came;
      }
    }
  }
  tellExhausted(crew, iteration, exhausted);
  const note = `The budget (${exhausted.resource}) ended before a model could conclude.`;
  return end(merged(state, { stop: 'budget', notes: [note] }));
}

/** The word of the program at the end of what was said. */
export function withNote(state: IncidentState, note: string): IncidentState {
  const { dialogue } = state.talk as Talk;
  return withTalk(state, { dialogue: noted(dialogue, note) });
}

export function withTalk(state: IncidentState, more: Partial<Talk>): IncidentState {
  return merged(state, { talk: { ...(state.talk as Talk), ...more } });
}

export function tellExhausted({ tell }: Pick<Crew, 'tell'>, iteration: number, exhausted: Exhausted): void {
  tell(`turn-${iteration}/exhausted-${exhausted.resource}`, {
    kind: 'budget_exhausted',
    step: iteration,
    exhausted,
  });
}

const end = (state: IncidentState): Turned => ({ kind: 'end', state });
const cancelled = (state: IncidentState): Turned => end(merged(state, { stop: 'cancelled' }));

/** What was found until then stays, and the code writes the brief. */
function degraded(state: IncidentState, why: string): IncidentState {
  return merged(state, { stop: 'model_failed', notes: [`The investigation by the model failed: ${why}`] });
}
