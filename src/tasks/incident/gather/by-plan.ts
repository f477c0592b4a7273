/** Without a model: asks all planned questions, then reads the missing diffs of the likeliest suspects. */
import { factsIn, judgeState } from '../brief/judge-state.ts';
import { rankTools } from '../plan-actions.ts';
import type { RunContext } from '../run-context.ts';
import { type IncidentState, mergeUpdates } from '../state.ts';
import { stripComparison } from './arguments.ts';
import { findCommitReader, listDemands, listDependencyDemands } from './on-demand.ts';
import { askSeed, takesQuery, widenToOnset } from './seeds.ts';

/** Maximum number of diffs that are requested one by one. */
const maxDiffs = 5;

export async function gatherByPlan(state: IncidentState, context: RunContext): Promise<IncidentState> {
  const tools = rankTools(state, context).map(({ tool }) => tool);
  let current = state;
  for (const action of state.plan?.actions ?? []) {
    const tool = tools.find(({ name }) => name === action.tool);
    if (tool === undefined || current.stop === 'cancelled') continue;
    const before = current.window;
    current = await askSeed(current, context, tool, action.arguments, action.rationale, 0);
    if (tool.question?.topic === 'metrics') current = widenToOnset(current);
    if (before !== current.window && context.pool.timeLeft() <= 0) break;
  }
  for (const { tool, arguments: args, why } of listDemands(current, context)) {
    if (current.stop === 'cancelled') break;
    current = await askSeed(current, context, tool, args, why, 0);
  }
  for (const { tool, arguments: args, why } of listDependencyDemands(current, tools)) {
    if (current.stop === 'cancelled') break;
    current = await askSeed(current, context, tool, args, why, 0);
  }
  const range = tools.find(takesQuery);
  for (const query of range === undefined ? [] : listAlertQueries(current)) {
    if (current.stop === 'cancelled') break;
    current = widenToOnset(
      await askSeed(current, context, range!, { query }, 'the rule of an alert that fires too', 0),
    );
  }
  const reader = findCommitReader(tools);
  if (reader !== null) {
    const unread = judgeState(current).blamed.filter(
      ({ kind, diffRead, before, how }) => kind === 'commit' && !diffRead && before && how !== 'undelivered',
    );
    for (const { id } of unread.slice(0, maxDiffs)) {
      if (current.stop === 'cancelled') break;
      current = await askSeed(
        current,
        context,
        reader.tool,
        { [reader.name]: id },
        'its diff was not read yet',
        0,
      );
    }
  }
  return current.stop === 'cancelled' || context.pool.timeLeft() > 0
    ? current
    : mergeUpdates(current, { stop: 'budget' });
}

/** Maximum expressions of other alerts' rules that are queried. */
const maxQueries = 4;

const listAlertQueries = (state: IncidentState): readonly string[] => [
  ...new Set(
    factsIn(state)
      .alerts.filter(({ state: how, query }) => how === 'firing' && query !== null)
      .flatMap((alert) => stripComparison(alert) ?? [])
      .slice(0, maxQueries),
  ),
];
