/** Runs the calls of one reply as steps: reads in parallel, each write alone. Results are in the order of the calls. */
import type { BudgetEnd, Step, StepWork } from '../../core/index.ts';
import type { Call } from './dialogue.ts';

export type CallsResult<Value> =
  | { readonly kind: 'done'; readonly values: readonly Value[] }
  | { readonly kind: 'cancelled' }
  | BudgetEnd;

export interface CallsOptions<Value> {
  /** The step that carries out a call. `n` counts from 1 within the reply. */
  readonly work: (call: Call, n: number) => StepWork<Value>;
  /** A write waits until all earlier calls have ended, and later calls wait for it. */
  readonly isWrite: (call: Call) => boolean;
  /** How many reads may run in parallel. */
  readonly maxParallel?: number;
}

const defaultMaxParallel = 8;

export async function runCalls<Value>(
  step: Step,
  key: string,
  calls: readonly Call[],
  { work, isWrite, maxParallel = defaultMaxParallel }: CallsOptions<Value>,
): Promise<CallsResult<Value>> {
  const values: Value[] = [];
  for (const group of groupCalls(calls, isWrite, maxParallel)) {
    const doneCount = values.length;
    // Waits for all of them even if one throws, since none may write after this function has returned.
    const outcomes = await Promise.allSettled(
      group.map((call, index) =>
        step(`${key}/call-${doneCount + index + 1}`, work(call, doneCount + index + 1)),
      ),
    );
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') throw outcome.reason;
      if (outcome.value.kind !== 'done') return outcome.value;
      values.push(outcome.value.value);
    }
  }
  return { kind: 'done', values };
}

function groupCalls(
  calls: readonly Call[],
  isWrite: (call: Call) => boolean,
  maxParallel: number,
): readonly (readonly Call[])[] {
  const groups: Call[][] = [];
  let previousWrites = true;
  for (const call of calls) {
    const lastGroup = groups.at(-1);
    const writes = isWrite(call);
    if (lastGroup === undefined || previousWrites || writes || lastGroup.length >= maxParallel)
      groups.push([call]);
    else lastGroup.push(call);
    previousWrites = writes;
  }
  return groups;
}
