/** The loop: a model asks questions, turn by turn, within its bounds, and comes to a conclusion in every case. */
import { type Exhausted, withRemedy } from '../../../core/index.ts';
import { affordable } from '../../../model/index.ts';
import { purseOf } from '../../purse.ts';
import { ask, askedShorter } from '../../research/ask.ts';
import { finite } from '../../run-limits.ts';
import { judgementOf } from '../brief/of-state.ts';
import type { Crew } from '../crew.ts';
import { rankedTools } from '../plan-actions.ts';
import { conclude, nextTurn, type TurnReply } from '../signatures.ts';
import { type IncidentState, merged } from '../state.ts';
import { carriedOut, fresh, type Progress, type Turned } from './carry-out.ts';
import {
  alertPage,
  budgetPage,
  callsPage,
  evidencePage,
  evidenceSizes,
  factsPage,
  planPage,
  windowPage,
} from './page.ts';
import { type GatherTool, toolSet } from './tools.ts';

/** Turns in a row without anything new that take the tools away. */
const mostStagnant = 2;
const turnTokens = 3_000;
const concludeTokens = 3_000;

interface TurnPlan {
  readonly pressure: 'budget' | 'stagnant' | null;
  readonly exhausted: Exhausted | null;
}

export async function gatherByModel(start: IncidentState, crew: Crew): Promise<IncidentState> {
  const tools = toolSet(rankedTools(start, crew).map(({ tool }) => tool));
  let state = start;
  let progress = fresh;
  for (let iteration = 1; ; iteration += 1) {
    const key = `turn-${iteration}/plan`;
    const known = crew.journal.recall(key) as TurnPlan | undefined;
    if (known === undefined && crew.signal.aborted) return merged(state, { stop: 'cancelled' });
    const plan =
      known ?? crew.atomic(() => crew.journal.record(key, decide(iteration, progress, crew)) as TurnPlan);
    crew.log.append(`turn-${iteration}/started`, {
      kind: 'step_started',
      step: iteration,
      left: finite(crew.pool.remaining({ final: plan.pressure !== null })),
    });
    if (plan.exhausted !== null)
      crew.log.append(`turn-${iteration}/exhausted`, {
        kind: 'budget_exhausted',
        step: iteration,
        exhausted: plan.exhausted,
      });
    if (plan.pressure !== null) return concluded(state, crew, iteration, plan.pressure);
    const turn = await oneTurn(state, progress, tools, iteration, crew);
    if (turn.kind === 'end') return turn.state;
    if (turn.kind === 'conclude') return concluded(turn.state, crew, iteration, turn.pressure);
    ({ state, progress } = turn);
  }
}

function decide(iteration: number, { stagnant }: Progress, crew: Crew): TurnPlan {
  const last = iteration >= crew.limits.iterations;
  const reservation = crew.pool.reserve(`turn-${iteration}`, { steps: 1 }, { final: last });
  if (reservation.kind === 'exhausted') return { pressure: 'budget', exhausted: reservation };
  reservation.settle({ steps: 1 });
  if (last) return { pressure: 'budget', exhausted: null };
  return { pressure: stagnant >= mostStagnant ? 'stagnant' : null, exhausted: null };
}

async function oneTurn(
  state: IncidentState,
  progress: Progress,
  tools: readonly GatherTool[],
  iteration: number,
  crew: Crew,
): Promise<Turned> {
  const judgement = judgementOf(state);
  const { planner } = crew.models;
  const signature = nextTurn(tools);
  const page = (evidence: number) => ({
    alert: alertPage(state),
    window: windowPage(state),
    plan: planPage(state),
    facts: factsPage(judgement, progress.shown),
    calls: callsPage(state),
    evidence: evidencePage(state, judgement, evidence, progress.recalled),
    budget: budgetPage(iteration, crew.limits, crew.pool.remaining()),
    ...(progress.told !== null && { told: progress.told }),
  });
  const purse = purseOf(crew, { final: false, output: turnTokens });
  const asked = await ask(
    crew,
    signature,
    affordable(signature, page, evidenceSizes(crew.limits, planner), purse),
    {
      model: planner,
      step: iteration,
      key: `turn-${iteration}/model`,
      final: false,
      maxOutputTokens: turnTokens,
    },
  );
  switch (asked.kind) {
    case 'cancelled':
      return { kind: 'end', state: merged(state, { stop: 'cancelled' }) };
    case 'failed':
      return { kind: 'end', state: degraded(state, withRemedy(asked)) };
    case 'exhausted':
      crew.log.append(`turn-${iteration}/exhausted`, {
        kind: 'budget_exhausted',
        step: iteration,
        exhausted: asked.exhausted,
      });
      return { kind: 'conclude', state, pressure: 'budget' };
    case 'malformed':
      return malformed(state, progress, iteration, asked.message, crew);
    case 'value':
      return carriedOut(state, progress, tools, chosen(crew, iteration, asked.value), iteration, crew);
  }
}

/** Recorded, so that a newer version that reads replies otherwise still resumes the run it finds. */
function chosen({ journal }: Crew, iteration: number, reply: TurnReply): TurnReply {
  // Structured output has no absent field: what was left out comes as null.
  const calls = reply.calls.map(({ tool, arguments: args }) => ({
    tool,
    arguments: Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null)),
  }));
  return journal.record(`turn-${iteration}/choice`, { ...reply, calls }) as TurnReply;
}

/** What was found until then stays, and the code writes the brief. */
function degraded(state: IncidentState, why: string): IncidentState {
  return merged(state, {
    stop: 'model_failed',
    conclusion: null,
    notes: [`The investigation by the model failed: ${why}`],
  });
}

function malformed(
  state: IncidentState,
  progress: Progress,
  iteration: number,
  why: string,
  crew: Crew,
): Turned {
  crew.log.append(`turn-${iteration}/malformed`, { kind: 'note', level: 'warning', text: why });
  return {
    kind: 'next',
    state: merged(state, { notes: [`Turn ${iteration}: the model's reply could not be read twice.`] }),
    progress: {
      ...progress,
      stagnant: progress.stagnant + 1,
      told: 'Your last reply could not be read. Reply with the JSON object that is asked for.',
    },
  };
}

const whys = {
  budget: 'The turns or the budget are used up to the part kept for the conclusion.',
  stagnant: 'The last turns brought nothing new.',
} as const;

async function concluded(
  state: IncidentState,
  crew: Crew,
  iteration: number,
  pressure: keyof typeof whys,
): Promise<IncidentState> {
  const judgement = judgementOf(state);
  const { planner } = crew.models;
  const page = (evidence: number) => ({
    alert: alertPage(state),
    window: windowPage(state),
    plan: planPage(state),
    facts: factsPage(judgement, []),
    calls: callsPage(state),
    evidence: evidencePage(state, judgement, evidence),
    why: whys[pressure],
  });
  const once = (key: string) => {
    // The same evidence is paid for once more in the diagnosis.
    const purse = purseOf(crew, { final: true, output: concludeTokens, calls: 2 });
    const input = affordable(conclude, page, evidenceSizes(crew.limits, planner), purse);
    const how = { model: planner, step: iteration, key, final: true, maxOutputTokens: concludeTokens };
    return ask(crew, conclude, input, how);
  };
  const asked = await askedShorter(`turn-${iteration}/conclude`, once);
  switch (asked.kind) {
    case 'value':
      return merged(state, { conclusion: asked.value.conclusion.trim() || null, stop: pressure });
    case 'cancelled':
      return merged(state, { stop: 'cancelled' });
    case 'failed':
      return degraded(state, withRemedy(asked));
    case 'exhausted':
      return merged(state, {
        stop: 'budget',
        notes: [`The budget (${asked.exhausted.resource}) ended before a model could conclude.`],
      });
    case 'malformed':
      return merged(state, { stop: pressure, notes: [`No usable conclusion came back: ${asked.message}`] });
  }
}
