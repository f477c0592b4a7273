/** The loop in which a model asks questions, turn by turn, within its limits, and always comes to a conclusion. */
import type { Amounts } from '../../../core/index.ts';
import { finiteAmounts } from '../../run-limits.ts';
import { judgeState } from '../brief/judge-state.ts';
import { rankTools } from '../plan-actions.ts';
import type { RunContext } from '../run-context.ts';
import { type IncidentState, mergeUpdates } from '../state.ts';
import { formatBudget, formatFacts, formatWindow } from './status-texts.ts';
import { addProgramNote, logExhausted, type Pressure, takeTurn, updateTalk } from './talk.ts';
import { selectTools } from './tools.ts';

/** After this many turns in a row without new evidence, no questions may be asked. */
const maxRoundsWithoutEvidence = 2;

export async function gatherByModel(start: IncidentState, context: RunContext): Promise<IncidentState> {
  const tools = selectTools(rankTools(start, context).map(({ tool }) => tool));
  let state = start;
  for (let iteration = 1; ; iteration += 1) {
    const plan = await planTurn(state, context, iteration);
    if (plan === null) return mergeUpdates(state, { stop: 'cancelled' });
    const incidentState = plan.note === null ? state : addProgramNote(state, plan.note);
    const talkStep = await takeTurn(updateFacts(incidentState), context, {
      iteration,
      tools,
      pressure: plan.pressure,
    });
    if (talkStep.kind === 'end') return talkStep.state;
    state = talkStep.state;
  }
}

interface TurnPlan {
  readonly pressure: Pressure | null;
  /** The remaining budget and new findings; null before the first message. */
  readonly note: string | null;
}

/** Opens a turn: an ordinary one or, under pressure, the concluding one. Null if the person stopped the run. */
async function planTurn(
  state: IncidentState,
  context: RunContext,
  iteration: number,
): Promise<TurnPlan | null> {
  const { limits, pool, step, tell } = context;
  const last = iteration >= limits.iterations;
  const dry = state.talk?.dry ?? 0;
  const pressure: Pressure | null = last ? 'budget' : dry >= maxRoundsWithoutEvidence ? 'stagnant' : null;
  const createPlan = (value: Pressure | null, spent: Amounts) => async () => ({
    value: { pressure: value, note: formatNote(state, context, iteration) },
    spent,
  });
  const planResult = await step<TurnPlan>(`turn-${iteration}/plan`, {
    cost: { steps: 1 },
    final: last,
    run: createPlan(pressure, { steps: 1 }),
  });
  if (planResult.kind === 'exhausted') logExhausted(context, iteration, planResult);
  const finalPlan =
    planResult.kind === 'exhausted'
      ? await step<TurnPlan>(`turn-${iteration}/end`, { run: createPlan('budget', {}) })
      : planResult;
  if (finalPlan.kind !== 'done') return null;
  const final = finalPlan.value.pressure !== null;
  const left = finiteAmounts(pool.remaining({ final }));
  tell(`turn-${iteration}/started`, { kind: 'step_started', step: iteration, left });
  return finalPlan.value;
}

function formatNote(state: IncidentState, context: RunContext, iteration: number): string | null {
  const { talk } = state;
  if (talk === null) return null;
  const facts = formatFacts(judgeState(state), state);
  return [
    ...(talk.dry > 0
      ? [
          'Nothing of this turn was new. Ask something else, or conclude: after a second turn like it you must.',
        ]
      : []),
    ...(facts === talk.facts ? [] : [`Looked at is now ${formatWindow(state)}.`, facts]),
    `Budget: ${formatBudget(iteration, context)}.`,
  ].join('\n');
}

/** Adds the facts that the model has not been shown yet. */
function updateFacts(state: IncidentState): IncidentState {
  return state.talk === null ? state : updateTalk(state, { facts: formatFacts(judgeState(state), state) });
}
