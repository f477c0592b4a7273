/** A run that is held between its stages, for a graph: it goes on as far as it is told to. */
import type { Drive } from '../../tasks/index.ts';

export interface HeldRun<Value> {
  readonly drive: Drive;
  /** Goes on until so many stages are through; the next one, or null where it has ended. */
  advance(stages: number): Promise<string | null>;
  /** Given the work once it is under way. */
  ends(end: Promise<Value>): void;
  result(): Promise<Value>;
  /** It has come to its end, whatever that was. */
  readonly isOver: boolean;
}

export function heldRun<Value>(): HeldRun<Value> {
  let allowed = 0;
  let done = 0;
  let next: string | null = null;
  let begun = false;
  let over = false;
  let changed = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<Value>();
  ended.promise.catch(() => {});
  const tell = (): void => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  return {
    get isOver() {
      return over;
    },
    async drive(start, stages) {
      let state = start;
      begun = true;
      next = stages.next(state);
      tell();
      while (next !== null) {
        while (done >= allowed) await changed.promise;
        state = await stages.run(state);
        done += 1;
        next = stages.next(state);
        tell();
      }
      return state;
    },
    async advance(wanted) {
      allowed = Math.max(allowed, wanted);
      tell();
      while (!over && !(begun && (done >= wanted || next === null))) await changed.promise;
      // What ended it is told by the stage that was under way.
      if (over && next !== null) await ended.promise;
      return over ? null : next;
    },
    ends(end) {
      const close = (): void => {
        over = true;
        tell();
      };
      end.then(ended.resolve, ended.reject).finally(close);
    },
    result: () => ended.promise,
  };
}
