/** If the model can't be reached, this process stops the run, and it can be resumed later. */

import { appendRemedy } from '../../../core/index.ts';
import type { ModelFailure } from '../../../model/index.ts';
import type { RunContext, TreeNode } from '../run-context.ts';
import { type InvestigationEnd, type NodeState, withEnd } from '../state.ts';

/** Thrown through nested work, so that nothing of it is recorded as a permanent failure. */
export class ModelAway extends Error {
  readonly failure: ModelFailure;
  constructor(failure: ModelFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Whether a failure may be temporary, one that `turn` did not decide. */
export const maybeBack = ({ retryable, code }: ModelFailure): boolean => retryable || code === 'timeout';

/** Ends everything that is under way. */
export function away({ failure }: Pick<RunContext, 'failure'>, failed: ModelFailure): never {
  failure.set(new ModelAway(failed));
  throw failure.signal.reason;
}

/** Ends the whole tree at its root, nested work included. */
export async function untilAway(
  state: NodeState,
  { depth }: Pick<TreeNode, 'depth'>,
  { seed: run }: Pick<RunContext, 'seed'>,
  work: () => Promise<NodeState>,
): Promise<NodeState> {
  try {
    return await work();
  } catch (thrown) {
    if (depth > 0 || !(thrown instanceof ModelAway)) throw thrown;
    const end: InvestigationEnd = {
      status: 'failed',
      stop: 'model_failed',
      trouble: `The model is away; what there is is kept: sonde resume ${run}. ${appendRemedy(thrown.failure)}`,
      resumable: true,
    };
    return withEnd(state, end);
  }
}
