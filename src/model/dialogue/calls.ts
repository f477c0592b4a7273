/** Runs the calls of one reply as steps: reads side by side, writes alone. Results are in the order of the calls. */
import type { BudgetEnd, Step, StepWork } from '../../core/index.ts';
import type { Call } from './dialogue.ts';

export type CalledAll<Value> =
  | { readonly kind: 'done'; readonly values: readonly Value[] }
  | { readonly kind: 'cancelled' }
  | BudgetEnd;

export interface CallsOptions<Value> {
  /** The step that carries out a call. `n` counts from 1 within the reply. */
  readonly work: (call: Call, n: number) => StepWork<Value>;
  /** A write waits until all earlier calls have ended, and later calls wait for it. */
  readonly isWrite: (call: Call) => boolean;
  /** How many reads run side by side. */
  readonly together?: number;
}

const usuallyTogether = 8;

export async function callsAsSteps<Value>(
  step: Step,
  key: string,
  calls: readonly Call[],
  { work, isWrite, together = usuallyTogether }: CallsOptions<Value>,
): Promise<CalledAll<Value>> {
  const values: Value[] = [];
  for (const group of groupsOf(calls, isWrite, together)) {
    const from = values.length;
    // Waits for all of them even if one throws, since none may write after this function has returned.
    const ends = await Promise.allSettled(
      group.map((call, at) => step(`${key}/call-${from + at + 1}`, work(call, from + at + 1))),
    );
    for (const end of ends) {
      if (end.status === 'rejected') throw end.reason;
      if (end.value.kind !== 'done') return end.value;
      values.push(end.value.value);
    }
  }
  return { kind: 'done', values };
}

function groupsOf(
  calls: readonly Call[],
  isWrite: (call: Call) => boolean,
  together: number,
): readonly (readonly Call[])[] {
  const groups: Call[][] = [];
  let alone = true;
  for (const call of calls) {
    const last = groups.at(-1);
    const writes = isWrite(call);
    if (last === undefined || alone || writes || last.length >= together) groups.push([call]);
    else last.push(call);
    alone = writes;
  }
  return groups;
}
