/**
 * The stages of an investigation: begin, ask the planner for code, run it. Each is a function from one state to the
 * next; results from outside are recorded before use. Loop and graph call the same stages.
 */
import { readFileSync } from 'node:fs';
import { appendRemedy, type BudgetEnd, formatAmount, resourceNames } from '../../core/index.ts';
import { isExtractive } from '../../model/index.ts';
import { findMissingNames } from '../missing-names.ts';
import { finiteAmounts } from '../run-limits.ts';
import { runCell } from './cell/cell.ts';
import { listTexts } from './cell/listed.ts';
import type { Workbench } from './cell/workbench.ts';
import type { RunContext, TreeNode } from './run-context.ts';
import { cancelledEnd, type NodeState, plusGains, withEnd } from './state.ts';
import { endIfUnavailable } from './talk/away.ts';
import { requestRevisionOnce } from './talk/back-once.ts';
import { budgetEnd, pageSizes, takeTurn, toFailedEnd, usesReserve } from './talk/talk.ts';
import { budgetText, countTurnsLeft, type Sizes } from './talk/words.ts';

export type Stage = 'begin' | 'plan' | 'run';
type Work = (state: NodeState, place: TreeNode, context: RunContext, bench: Workbench) => Promise<NodeState>;
const waitWhileAway =
  (work: Work): Work =>
  (state, place, context, bench) =>
    endIfUnavailable(state, place, context, () => work(state, place, context, bench));
export const stages: Readonly<Record<Stage, Work>> = {
  begin: waitWhileAway(begin),
  plan: waitWhileAway(plan),
  run: waitWhileAway(run),
};

/** The next stage; null at the end. */
export function stageOf({ pending }: NodeState): Stage | null {
  return pending.kind === 'end' ? null : pending.kind;
}

export const stepOf = ({ step }: TreeNode, turn: number): number => step ?? Math.max(1, turn);

async function begin(
  state: NodeState,
  place: TreeNode,
  context: RunContext,
  bench: Workbench,
): Promise<NodeState> {
  context.tell(`${place.key}/begun`, {
    kind: 'node_started',
    step: stepOf(place, 0),
    node: place.key,
    depth: place.depth,
    prompt: place.prompt.slice(0, 2000),
  });
  const missing = await findMissing(place, context);
  if (missing.length > 0)
    return withEnd({ ...state, missing }, { status: 'final', stop: 'finalized', trouble: null });
  if (place.context === null || place.context === undefined) return { ...state, pending: { kind: 'plan' } };
  const code = 'context = call_host("seeded_context")';
  const request = { key: `${place.key}/t0.1`, label: '0.1', step: stepOf(place, 0), code };
  const ran = await runCell(request, state, place, context, bench);
  if (ran.kind === 'cancelled') return withEnd(state, cancelledEnd);
  if (ran.kind === 'exhausted') return endExhausted(state, ran, place, context);
  const { cell } = ran;
  const gains = plusGains(state.gains, cell.gains);
  return { ...state, cells: [cell], said: 1, gains, pending: { kind: 'plan' } };
}

/**
 * The names in the question that occur nowhere, if the run need not begin for that. Nested questions, and questions
 * with a context or a schema, are not checked, since they may introduce names of their own.
 */
async function findMissing(
  { depth, prompt, context, scope, form }: TreeNode,
  { material, step }: RunContext,
): Promise<readonly string[]> {
  if (depth > 0 || form !== null || (context !== null && context !== undefined)) return [];
  const lookUp = { question: prompt, names: material.names, scope: scope.text, step };
  const { missing, refused } = await findMissingNames(lookUp);
  return refused ? missing : [];
}

interface OpenedTurn extends Sizes {
  readonly last: boolean;
  readonly exhausted: BudgetEnd | null;
}

async function plan(
  before: NodeState,
  place: TreeNode,
  context: RunContext,
  bench: Workbench,
): Promise<NodeState> {
  const turn = before.turn + 1;
  const stepResult = await openTurn({ ...before, turn }, place, context);
  if (stepResult.kind === 'cancelled') return withEnd(before, cancelledEnd);
  if (stepResult.kind === 'exhausted') return endExhausted(before, stepResult, place, context);
  const { last, exhausted, ...sizes } = stepResult.value;
  const state = { ...before, turn, last };
  if (exhausted !== null) tellExhausted(place, context, stepOf(place, turn), exhausted);
  if (isExtractive(context.models[context.outer])) return endByProgram(state, place);
  const turnOutcome = await takeTurn(state, place, context, sizes);
  if (turnOutcome.kind === 'state') return turnOutcome.state;
  return last || place.step !== null
    ? endExhausted(turnOutcome.state, turnOutcome.exhausted, place, context)
    : plan({ ...turnOutcome.state, last: true }, place, context, bench);
}

/** Begins an ordinary turn or, if the root can't afford one, the reserved last turn. */
async function openTurn(state: NodeState, place: TreeNode, context: RunContext) {
  const { step } = context;
  const { pool } = place;
  const key = `${place.key}/t${state.turn}`;
  const openAt = (key: string, last: boolean, exhausted: BudgetEnd | null, cost?: { readonly steps: 1 }) =>
    step<OpenedTurn>(key, {
      pool,
      ...(cost && { cost }),
      final: last,
      run: async () => ({
        value: await describeTurn({ ...state, last }, place, context, exhausted),
        ...(cost && { spent: cost }),
        ...(place.step === null && { events: [toStartedEvent(key, { ...state, last }, place)] }),
      }),
    });
  const oneStep = { steps: 1 } as const;
  if (state.turn > place.turns) return shareExhausted(place);
  // The budget ended the turn before, not the number of turns, so the reserved turn is still available.
  if (state.last) return openAt(key, true, null);
  const stepResult = await openAt(key, false, null, oneStep);
  if (stepResult.kind !== 'exhausted' || place.step !== null) return stepResult;
  const lastTurn = await openAt(`${key}/last`, true, stepResult, oneStep);
  return lastTurn.kind === 'exhausted' ? stepResult : lastTurn;
}

function shareExhausted({ turns, pool }: TreeNode): BudgetEnd {
  const { account } = pool;
  return { kind: 'exhausted', resource: 'steps', account, limit: turns, spent: turns, held: 0, requested: 1 };
}

/** The texts and sizes of a turn. They are recorded, so that a resumed run sends the same texts. */
async function describeTurn(
  state: NodeState,
  place: TreeNode,
  context: RunContext,
  exhausted: BudgetEnd | null,
): Promise<OpenedTurn> {
  const isLast = state.last || (place.step !== null && countTurnsLeft(state, place) < 1);
  const described = { ...state, last: isLast };
  const budget = budgetText(described, place);
  const page = pageSizes(described, place, context, budget);
  const listed = state.talk === null ? await listTexts(place, context) : '';
  return { last: isLast, exhausted, budget, ...page, ...(listed !== '' && { listed }) };
}

const toStartedEvent = (key: string, state: NodeState, place: TreeNode) =>
  [
    `${key}/started`,
    {
      kind: 'step_started',
      step: stepOf(place, state.turn),
      left: finiteAmounts(place.pool.remaining({ final: usesReserve(state, place) })),
    },
  ] as const;

const extractiveProgram = readFileSync(new URL('./guest/extractive.py', import.meta.url), 'utf8');

/**
 * The program that runs without a model, with the question in its first line. A JSON string is also a Python string.
 */
const programFor = ({ prompt }: TreeNode): string =>
  `QUESTION = ${JSON.stringify(prompt)}\n${extractiveProgram}`;

/** Without a model, runs one fixed program, which may find no answer. */
function endByProgram(state: NodeState, place: TreeNode): NodeState {
  if (state.turn === 1) return { ...state, pending: { kind: 'run', codes: [programFor(place)] } };
  const last = state.cells.at(-1);
  return withEnd(
    state,
    toFailedEnd(`The program came to no answer: ${last?.line ?? 'it did not run'}`, 'stagnant'),
  );
}

async function run(
  state: NodeState,
  place: TreeNode,
  context: RunContext,
  bench: Workbench,
): Promise<NodeState> {
  if (state.pending.kind !== 'run') return state;
  const [code = '', ...rest] = state.pending.codes;
  const number = state.cells.filter(({ key }) => key.startsWith(`${place.key}/t${state.turn}.`)).length + 1;
  const label = `${state.turn}.${number}`;
  const request = { key: `${place.key}/t${label}`, label, step: stepOf(place, state.turn), code };
  const ran = await runCell(request, state, place, context, bench);
  if (ran.kind === 'cancelled') return withEnd(state, cancelledEnd);
  if (ran.kind === 'exhausted')
    return state.last || place.step !== null
      ? endExhausted(state, ran, place, context)
      : { ...state, last: true, pending: { kind: 'plan' } };
  const { cell } = ran;
  const next: NodeState = {
    ...state,
    cells: [...state.cells, cell],
    gains: plusGains(state.gains, cell.gains),
  };
  const returned = await requestRevisionOnce(next, place, context);
  if (returned !== null) return returned;
  if (next.gains.final !== null)
    return withEnd(
      next,
      usesReserve(state, place) ? budgetEnd(null) : { status: 'final', stop: 'finalized', trouble: null },
    );
  if (cell.outcome === 'ok' && rest.length > 0) return { ...next, pending: { kind: 'run', codes: rest } };
  if (state.last) return withEnd(next, budgetEnd('The last turn did not call FINAL.'));
  const skipped =
    rest.length === 0 ? null : `What stood behind the block that failed was not run (${rest.length} more).`;
  return { ...next, told: joinNotes(state.told, skipped), pending: { kind: 'plan' } };
}

function joinNotes(...notes: readonly (string | null)[]): string | null {
  return notes.filter((note) => note !== null).join(' ') || null;
}

function endExhausted(
  state: NodeState,
  exhausted: BudgetEnd,
  place: TreeNode,
  context: RunContext,
): NodeState {
  const { resource, spent, limit, remedy = '' } = exhausted;
  tellExhausted(place, context, stepOf(place, state.turn), exhausted);
  return withEnd(
    state,
    budgetEnd(
      appendRemedy({
        message: `Out of ${resourceNames[resource]}: ${formatAmount(resource, spent)} of ${formatAmount(resource, limit)} spent.`,
        remedy,
      }),
    ),
  );
}

function tellExhausted(place: TreeNode, { tell }: RunContext, step: number, exhausted: BudgetEnd): void {
  tell(`${place.key}/exhausted-${exhausted.resource}`, { kind: 'budget_exhausted', step, exhausted });
}
