/** A run that pauses between its stages, for a graph. */
import type { Drive } from '../../tasks/index.ts';

export interface SteppedRun<Value> {
  readonly drive: Drive;
  /** Runs this many stages. Gives the next stage, or null if the run has ended. */
  advance(stages: number): Promise<string | null>;
  /** Takes over the work when it has begun. */
  ends(end: Promise<Value>): void;
  result(): Promise<Value>;
  /** The run has ended in any way. */
  readonly isOver: boolean;
}

export function createSteppedRun<Value>(): SteppedRun<Value> {
  let allowed = 0;
  let done = 0;
  let next: string | null = null;
  let hasBegun = false;
  let hasEnded = false;
  let changed = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<Value>();
  ended.promise.catch(() => {});
  const notifyChange = (): void => {
    changed.resolve();
    changed = Promise.withResolvers();
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
        while (done >= allowed) await changed.promise;
        state = await stages.run(state);
        done += 1;
        next = stages.next(state);
        notifyChange();
      }
      return state;
    },
    async advance(wanted) {
      allowed = Math.max(allowed, wanted);
      notifyChange();
      while (!hasEnded && !(hasBegun && (done >= wanted || next === null))) await changed.promise;
      // The error that ended it is thrown by the stage that was running.
      if (hasEnded && next !== null) await ended.promise;
      return hasEnded ? null : next;
    },
    ends(end) {
      const close = (): void => {
        hasEnded = true;
        notifyChange();
      };
      end.then(ended.resolve, ended.reject).finally(close);
    },
    result: () => ended.promise,
  };
}
