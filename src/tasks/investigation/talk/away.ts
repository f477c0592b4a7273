/** Stops the run if the model can't be reached, so that it can be resumed later. */

import { appendRemedy } from '../../../core/index.ts';
import type { ModelFailure } from '../../../model/index.ts';
import type { RunContext, TreeNode } from '../run-context.ts';
import { type InvestigationEnd, type NodeState, withEnd } from '../state.ts';

/** Thrown through nested work, so that nothing of it is recorded as a permanent failure. */
export class ModelUnavailable extends Error {
  readonly failure: ModelFailure;
  constructor(failure: ModelFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Whether a failure of the model may be temporary, so that the run can be resumed later. */
export const mayBeTemporary = ({ retryable, code }: ModelFailure): boolean => retryable || code === 'timeout';

/** Stops all work of the run that is in progress, and throws. */
export function abortUnavailable(
  { failure }: Pick<RunContext, 'failure'>,
  modelFailure: ModelFailure,
): never {
  failure.set(new ModelUnavailable(modelFailure));
  throw failure.signal.reason;
}

/** Does the work. If the model is unavailable, nested investigations throw, and the root ends as resumable. */
export async function endIfUnavailable(
  state: NodeState,
  { depth }: Pick<TreeNode, 'depth'>,
  { seed: run }: Pick<RunContext, 'seed'>,
  work: () => Promise<NodeState>,
): Promise<NodeState> {
  try {
    return await work();
  } catch (thrown) {
    if (depth > 0 || !(thrown instanceof ModelUnavailable)) throw thrown;
    const end: InvestigationEnd = {
      status: 'failed',
      stop: 'model_failed',
      trouble: `The model is away; what there is is kept: sonde resume ${run}. ${appendRemedy(thrown.failure)}`,
      resumable: true,
    };
    return withEnd(state, end);
  }
}
