import type { Drive } from '../drive.ts';
import { Workbench } from './cell/workbench.ts';
import type { RunContext, TreeNode } from './run-context.ts';
import { stageOf, stages, stepOf } from './stages.ts';
import { initialState, type NodeState } from './state.ts';

/** Runs the stages of one investigation until it ends: `byLoop`, `byDrive`, or `byGraph`. */
export type StageLoop = (
  state: NodeState,
  place: TreeNode,
  context: RunContext,
  bench: Workbench,
) => Promise<NodeState>;

export const byLoop: StageLoop = async (state, place, context, bench) => {
  let current = state;
  for (let stage = stageOf(current); stage !== null; stage = stageOf(current)) {
    current = await stages[stage](current, place, context, bench);
    if (stageOf(current) !== null) context.failure.check();
  }
  return current;
};

/** Lets another program run the stages of the root. Nested investigations use the plain loop. */
export const byDrive =
  (drive: Drive): StageLoop =>
  (firstState, place, context, bench) =>
    place.depth > 0
      ? byLoop(firstState, place, context, bench)
      : drive(firstState, {
          next: stageOf,
          async run(state) {
            const stage = stageOf(state);
            if (stage === null) return state;
            const nextState = await stages[stage](state, place, context, bench);
            if (stageOf(nextState) !== null) context.failure.check();
            return nextState;
          },
        });

/** Runs one investigation with all nested ones. Its sandbox session is always closed afterwards. */
export async function investigateAt(
  place: TreeNode,
  context: RunContext,
  runStages: StageLoop = byLoop,
): Promise<NodeState> {
  const bench = new Workbench(context, place, (nested) => investigateAt(nested, context, runStages));
  try {
    const state = await runStages(initialState(), place, context, bench);
    const end = state.pending.kind === 'end' ? state.pending.end : null;
    if (end !== null && end.status !== 'cancelled' && end.resumable !== true) {
      context.snapshots.drop(place.key);
      context.tell(`${place.key}/ended`, {
        kind: 'node_finished',
        step: stepOf(place, state.turn),
        node: place.key,
        status: end.status,
        summary: (end.trouble ?? JSON.stringify(state.gains.final?.answer ?? null)).slice(0, 300),
      });
    }
    return state;
  } finally {
    await bench.close();
    if (place.depth > 0) place.pool.close();
  }
}
