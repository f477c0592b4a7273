/**
 * Who carries a run through its stages, in place of its own loop: somebody who wants to stop between two of them, as a
 * node of a graph does. What a stage learns is recorded in the run's journal, so that one who goes through the first
 * stages once more asks nobody anything.
 */
export interface Stages<State> {
  /** Null: it has come to its end. */
  next(state: State): string | null;
  /** The stage that is next. */
  run(state: State): Promise<State>;
}

export type Drive = <State>(state: State, stages: Stages<State>) => Promise<State>;
