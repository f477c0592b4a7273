/** The second run of an answer's cells: it takes as long as the first, so it is done once and recorded. */
import type { ComputedAnswer } from '../../../core/index.ts';
import type { RunContext, TreeNode } from '../run-context.ts';
import type { NodeState } from '../state.ts';
import { computeAnswer } from './computed-answer.ts';

export async function computeAnswerOnce(
  state: NodeState,
  place: TreeNode,
  context: RunContext,
): Promise<ComputedAnswer | null> {
  const lastCell = state.cells.at(-1);
  if (state.gains.final === null || lastCell === undefined) return null;
  const stepResult = await context.step<ComputedAnswer | null>(`${lastCell.key}/computed`, {
    run: async () => ({
      value: await computeAnswer(state, place, context),
      record: !context.signal.aborted,
    }),
  });
  return stepResult.kind === 'done' ? stepResult.value : null;
}
