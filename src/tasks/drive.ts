/**
 * Lets another program run the stages of a run one by one, such as a node of a LangGraph graph that wants to stop
 * between two stages. The results of stages are in the run's journal, so that repeating the first stages calls no model
 * or tool again.
 */
export interface Stages<State> {
  /** The next stage; null at the end. */
  next(state: State): string | null;
  /** Runs the next stage. */
  run(state: State): Promise<State>;
}

export type Drive = <State>(state: State, stages: Stages<State>) => Promise<State>;
