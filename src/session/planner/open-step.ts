import type { RunnableConfig } from '@langchain/core/runnables';
import { type RunEvent, SondeError } from '../../core/index.ts';
import type { GraphPorts } from '../graph-ports.ts';
import { countDecisions, readSite, type State } from '../graph-state.ts';

/** Opens a step of the planner, with or without a model. */
export async function openStep<Value>(
  { messages }: State,
  config: RunnableConfig,
  { step, pool }: Pick<GraphPorts, 'step' | 'pool'>,
  work: () => Value,
): Promise<Value> {
  const { namespace, task } = readSite(config);
  const number = countDecisions(messages) + 1;
  const finiteAmounts = Object.entries(pool.remaining()).filter(([, amount]) => Number.isFinite(amount));
  const event: RunEvent = { kind: 'step_started', step: number, left: Object.fromEntries(finiteAmounts) };
  const stepResult = await step(`${namespace}/${task}/asked`, {
    // Stored before the call that it pays for.
    deferCommit: true,
    run: async () => ({ value: work(), events: [[`step-${number}`, event]] }),
  });
  if (stepResult.kind === 'done') return stepResult.value;
  throw createCancelledError();
}

export function createCancelledError(): SondeError {
  return new SondeError('cancelled', {
    message: 'The turn was cancelled',
    remedy: 'Continue it, or drop it.',
  });
}
