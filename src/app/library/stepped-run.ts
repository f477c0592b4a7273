/** A run that pauses between its stages, for a graph. */
import type { Drive } from '../../tasks/index.ts';

export interface SteppedRun<Value> {
  readonly drive: Drive;
  /** Runs stages until `stages` have run in all. Returns the next stage, or null if the run has ended. */
  advance(stages: number): Promise<string | null>;
  /** Reports the end of the work to `advance` and `result`. */
  follow(end: Promise<Value>): void;
  result(): Promise<Value>;
  /** The run has ended in any way. */
  readonly isOver: boolean;
}

export function createSteppedRun<Value>(): SteppedRun<Value> {
  let allowedStages = 0;
  let finishedStages = 0;
  let next: string | null = null;
  let hasBegun = false;
  let hasEnded = false;
  let change = Promise.withResolvers<void>();
  const outcome = Promise.withResolvers<Value>();
  outcome.promise.catch(() => {});
  const notifyChange = (): void => {
    change.resolve();
    change = Promise.withResolvers();
  };
  return {
    get isOver() {
      return hasEnded;
    },
    async drive(start, stages) {
      let state = start;
      hasBegun = true;
      next = stages.next(state);
      notifyChange();
      while (next !== null) {
        while (finishedStages >= allowedStages) await change.promise;
        state = await stages.run(state);
        finishedStages += 1;
        next = stages.next(state);
        notifyChange();
      }
      return state;
    },
    async advance(stages) {
      allowedStages = Math.max(allowedStages, stages);
      notifyChange();
      while (!hasEnded && !(hasBegun && (finishedStages >= stages || next === null))) await change.promise;
      // The error that ended it is thrown by the stage that was running.
      if (hasEnded && next !== null) await outcome.promise;
      return hasEnded ? null : next;
    },
    follow(end) {
      const close = (): void => {
        hasEnded = true;
        notifyChange();
      };
      end.then(outcome.resolve, outcome.reject).finally(close);
    },
    result: () => outcome.promise,
  };
}
