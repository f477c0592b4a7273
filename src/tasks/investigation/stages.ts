/**
 * The stages of an investigation: begin, ask the planner for code, run it. Each is a function from a state to the
 * next; whatever it learns is recorded before it is used. The loop and the graph differ only in who calls them.
 */
import { type Exhausted, withRemedy } from '../../core/index.ts';
import { isExtractive } from '../../model/index.ts';
import { missingNames } from '../missing-names.ts';
import { finite } from '../run-limits.ts';
import { askText, type Said } from './ask-text.ts';
import { runCell } from './cell.ts';
import type { Crew, Place } from './crew.ts';
import { answerAtOnce } from './one-call.ts';
import { lastMessages, plannerMessages } from './page.ts';
import { program } from './program.ts';
import { readReply } from './reply.ts';
import { cancelledEnd, type End, ended, type NodeState, noGains, noTally, plusGains } from './state.ts';
import type { Workbench } from './workbench.ts';

export type Stage = 'begin' | 'plan' | 'run';
type Work = (state: NodeState, place: Place, crew: Crew, bench: Workbench) => Promise<NodeState>;
export const stages: Readonly<Record<Stage, Work>> = { begin, plan, run };

/** Which stage comes next; null at the end. */
export function stageOf({ pending }: NodeState): Stage | null {
  return pending.kind === 'end' ? null : pending.kind;
}

/** Turns in a row without code that end an investigation. */
const mostSilent = 3;
const replyTokens = 6_000;

export const stepOf = ({ step }: Place, turn: number): number => step ?? Math.max(1, turn);

async function begin(state: NodeState, place: Place, crew: Crew, bench: Workbench): Promise<NodeState> {
  crew.log.append(`${place.key}/begun`, {
    kind: 'node_started',
    step: stepOf(place, 0),
    node: place.key,
    depth: place.depth,
    prompt: place.prompt.slice(0, 2000),
  });
  const missing = await missingHere(place, crew);
  if (missing.length > 0)
    return ended({ ...state, missing }, { status: 'final', stop: 'finalized', trouble: null });
  const told = await answerAtOnce(state, place, crew);
  if (told.pending.kind === 'end') return told;
  if (place.context === null || place.context === undefined) return { ...told, pending: { kind: 'plan' } };
  const code = 'context = call_host("seeded_context")';
  const order = { key: `${place.key}/t0.1`, label: '0.1', step: stepOf(place, 0), code };
  const ran = await runCell(order, told, place, crew, bench);
  if (ran.kind === 'cancelled') return ended(told, cancelledEnd);
  if (ran.kind === 'exhausted') return outOf(told, ran.exhausted, place, crew);
  const { cell } = ran;
  return { ...told, cells: [cell], gains: plusGains(told.gains, cell.gains), pending: { kind: 'plan' } };
}

/** What is passed along, or asked for within an investigation, may have names of its own. */
async function missingHere(
  { depth, prompt, context, scope, form }: Place,
  { material, step }: Crew,
): Promise<readonly string[]> {
  if (depth > 0 || form !== null || (context !== null && context !== undefined)) return [];
  const look = { question: prompt, names: material.names, scope: scope.text, step };
  const { missing, refused } = await missingNames(look);
  return refused ? missing : [];
}

interface Turn {
  readonly last: boolean;
  readonly exhausted: Exhausted | null;
}

async function plan(before: NodeState, place: Place, crew: Crew, _bench: Workbench): Promise<NodeState> {
  const turn = before.turn + 1;
  const key = `${place.key}/t${turn}`;
  const known = crew.journal.recall(key) as Turn | undefined;
  if (known === undefined && crew.signal.aborted) return ended(before, cancelledEnd);
  // One transaction: a crash between the turn's charge and its record would charge it again.
  const opened = known ?? crew.atomic(() => crew.journal.record(key, openTurn(before, turn, place)) as Turn);
  if (opened.exhausted !== null && !opened.last) return outOf(before, opened.exhausted, place, crew);
  const state = { ...before, turn, last: opened.last };
  const step = stepOf(place, turn);
  if (place.step === null)
    crew.log.append(`${key}/started`, {
      kind: 'step_started',
      step,
      left: finite(place.pool.remaining({ final: state.last })),
    });
  if (opened.exhausted !== null) logExhausted(place, crew, step, opened.exhausted);
  if (isExtractive(crew.models[crew.outer])) return byProgram(state, place, crew);
  const [messages, prompts] = state.last
    ? lastMessages(state, place, crew, replyTokens)
    : plannerMessages(state, place, crew);
  const said = await asked(state, place, crew, messages);
  const tally = { ...noTally, prompts };
  const shown = { ...state, gains: plusGains(state.gains, { ...noGains, tally }) };
  switch (said.kind) {
    case 'cancelled':
      return ended(shown, cancelledEnd);
    case 'exhausted':
      return state.last || place.step !== null
        ? outOf(shown, said.exhausted, place, crew)
        : plan({ ...shown, last: true }, place, crew, _bench);
    case 'failed':
      // In the last turn the budget is what ended it; that the model failed too is told.
      return ended(shown, state.last ? budgetEnd(said.message) : failed(withRemedy(said), 'model_failed'));
    case 'text':
      return withReply(shown, said);
  }
}

/** An ordinary turn; or, once the root can't have one, the one that was kept back. */
function openTurn(state: NodeState, turn: number, { pool, step: within }: Place): Turn {
  if (state.last) return { last: true, exhausted: null };
  const own = pool.reserve(`t${turn}`, { steps: 1 });
  if (own.kind === 'reserved') {
    own.settle({ steps: 1 });
    return { last: false, exhausted: null };
  }
  if (within !== null) return { last: false, exhausted: own };
  const kept = pool.reserve(`t${turn}/last`, { steps: 1 }, { final: true });
  if (kept.kind === 'exhausted') return { last: false, exhausted: own };
  kept.settle({ steps: 1 });
  return { last: true, exhausted: own };
}

async function asked(
  state: NodeState,
  place: Place,
  crew: Crew,
  messages: Parameters<typeof askText>[1],
): Promise<Said> {
  const said = await askText(crew, messages, {
    model: crew.models[crew.outer],
    pool: place.pool,
    step: stepOf(place, state.turn),
    key: `${place.key}/t${state.turn}/planner`,
    signature: 'planner',
    maxOutputTokens: replyTokens,
    final: state.last,
    signal: AbortSignal.any([crew.signal, crew.failure.signal]),
  });
  crew.failure.check();
  return said;
}

function withReply(state: NodeState, said: Extract<Said, { kind: 'text' }>): NodeState {
  const { cells, told } = readReply(said.text);
  const cut = said.cut ? 'Your reply was cut off at its limit: write less.' : null;
  const notes = [cut, told].filter((note) => note !== null).join(' ') || null;
  if (cells.length > 0) return { ...state, silent: 0, told: notes, pending: { kind: 'run', codes: cells } };
  const silent = state.silent + 1;
  if (state.last) return ended({ ...state, silent }, budgetEnd('The last turn held no code.'));
  if (silent >= mostSilent)
    return ended(
      { ...state, silent },
      failed(`The model wrote no code ${silent} times in a row.`, 'stagnant'),
    );
  return { ...state, silent, told: notes, pending: { kind: 'plan' } };
}

/** Without a model one fixed program runs, and what it doesn't answer stays without an answer. */
function byProgram(state: NodeState, place: Place, crew: Crew): NodeState {
  if (state.turn === 1) return { ...state, pending: { kind: 'run', codes: [program(place, crew)] } };
  const last = state.cells.at(-1);
  return ended(state, failed(`The program came to no answer: ${last?.line ?? 'it did not run'}`, 'stagnant'));
}

async function run(state: NodeState, place: Place, crew: Crew, bench: Workbench): Promise<NodeState> {
  if (state.pending.kind !== 'run') return state;
  const [code = '', ...rest] = state.pending.codes;
  const number = state.cells.filter(({ key }) => key.startsWith(`${place.key}/t${state.turn}.`)).length + 1;
  const label = `${state.turn}.${number}`;
  const order = { key: `${place.key}/t${label}`, label, step: stepOf(place, state.turn), code };
  const ran = await runCell(order, state, place, crew, bench);
  if (ran.kind === 'cancelled') return ended(state, cancelledEnd);
  if (ran.kind === 'exhausted')
    return state.last || place.step !== null
      ? outOf(state, ran.exhausted, place, crew)
      : { ...state, last: true, pending: { kind: 'plan' } };
  const { cell } = ran;
  const next: NodeState = {
    ...state,
    cells: [...state.cells, cell],
    gains: plusGains(state.gains, cell.gains),
  };
  if (next.gains.final !== null)
    return ended(next, state.last ? budgetEnd(null) : { status: 'final', stop: 'finalized', trouble: null });
  if (cell.outcome === 'ok' && rest.length > 0) return { ...next, pending: { kind: 'run', codes: rest } };
  if (state.last) return ended(next, budgetEnd('The last turn did not call FINAL.'));
  const skipped =
    rest.length === 0 ? null : `What stood behind the block that failed was not run (${rest.length} more).`;
  return { ...next, told: join(state.told, skipped), pending: { kind: 'plan' } };
}

function join(...notes: readonly (string | null)[]): string | null {
  return notes.filter((note) => note !== null).join(' ') || null;
}

function outOf(state: NodeState, exhausted: Exhausted, place: Place, crew: Crew): NodeState {
  logExhausted(place, crew, stepOf(place, state.turn), exhausted);
  return ended(
    state,
    budgetEnd(`Out of ${exhausted.resource}: ${exhausted.spent} of ${exhausted.limit} spent.`),
  );
}

function logExhausted(place: Place, { log }: Crew, step: number, exhausted: Exhausted): void {
  log.append(`${place.key}/exhausted-${exhausted.resource}`, { kind: 'budget_exhausted', step, exhausted });
}

const budgetEnd = (trouble: string | null): End => ({ status: 'budget_exhausted', stop: 'budget', trouble });
const failed = (trouble: string, stop: End['stop']): End => ({ status: 'failed', stop, trouble });
