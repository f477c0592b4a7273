/**
 * The stages of a step: `plan` decides whether the answer is due, `choose` asks for an action, `act` or `call` runs it.
 * Each maps one state to the next, and records everything that it reads from outside before it uses it. The loop and
 * the graph both call these stages.
 */
import { type BudgetEnd, SondeError } from '../../core/index.ts';
import { isExtractive } from '../../model/extractive.ts';
import type { Stages } from '../drive.ts';
import { finiteAmounts } from '../run-limits.ts';
import { budgetPage } from './dialogue/page.ts';
import { logExhausted } from './log.ts';
import { nextByPolicy } from './policy.ts';
import type { RunContext } from './run-context.ts';
import { cancel, type Pressure, type ResearchState } from './state.ts';
import { runChoice } from './step/run-choice.ts';

/** Loaded only if there is a model. */
const loadTalk = () => import('./dialogue/talk.ts');

export type Stage = 'plan' | 'choose' | 'act' | 'call';
export const stages: Readonly<
  Record<Stage, (state: ResearchState, context: RunContext) => Promise<ResearchState>>
> = {
  plan,
  choose,
  act: runChoice,
  call: async (state, context) => (await loadTalk()).runCalls(state, context),
};

/** Number of consecutive rounds without new evidence after which the search ends. */
const maxStepsWithoutEvidence = 2;

interface Plan {
  readonly pressure: Pressure | null;
  readonly exhausted: BudgetEnd | null;
  /** The remaining budget, for the model. */
  readonly note?: string;
}

/** Begins the next step. Under pressure, it is the step that answers. */
async function plan(state: ResearchState, context: RunContext): Promise<ResearchState> {
  const step = state.step + 1;
  const key = `step-${step}/plan`;
  const isLast = step >= context.limits.steps;
  const planned = await context.step<Plan>(key, {
    deferCommit: true,
    cost: { steps: 1 },
    final: isLast,
    run: async () => ({ value: planOf(state, step, context), spent: { steps: 1 } }),
  });
  if (planned.kind === 'cancelled') return cancel(state);
  const { pressure, exhausted, note }: Plan =
    planned.kind === 'exhausted' ? { pressure: 'budget', exhausted: planned } : planned.value;
  context.tell(`step-${step}/started`, {
    kind: 'step_started',
    step,
    left: finiteAmounts(context.pool.remaining({ final: pressure !== null })),
  });
  if (exhausted !== null) logExhausted(context, step, exhausted);
  const notedState = note === undefined ? state : (await loadTalk()).withNote(state, note);
  return { ...notedState, step, pending: { kind: 'choose', pressure } };
}

function planOf(state: ResearchState, step: number, context: RunContext): Plan {
  const isLast = step >= context.limits.steps;
  const budget = budgetPage(step, context.limits, context.pool.remaining());
  const note = state.talk === null ? {} : { note: `Budget: ${budget}.` };
  if (isLast) return { pressure: 'budget', exhausted: null, ...note };
  return {
    pressure: state.stepsWithoutEvidence >= maxStepsWithoutEvidence ? 'stagnant' : null,
    exhausted: null,
    ...note,
  };
}

async function choose(state: ResearchState, context: RunContext): Promise<ResearchState> {
  if (state.pending.kind !== 'choose') throw wrongStage(state);
  return isExtractive(context.models.planner)
    ? nextByPolicy(state, context, state.pending.pressure)
    : (await loadTalk()).takeTurn(state, context, state.pending.pressure);
}

/** The next stage; null at the end. */
export function stageOf({ pending }: ResearchState): Stage | null {
  return pending.kind === 'end' ? null : pending.kind;
}

/** The stages, for a program that runs them one by one. */
export const createStages = (context: RunContext): Stages<ResearchState> => ({
  next: stageOf,
  async run(state) {
    const stage = stageOf(state);
    return stage === null ? state : stages[stage](state, context);
  },
});

function wrongStage(state: ResearchState): SondeError {
  return new SondeError('internal', {
    message: `Step ${state.step} was to ${state.pending.kind}, not to choose`,
  });
}
