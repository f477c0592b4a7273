import type { RunContext } from './run-context.ts';
import { stageOf, stages } from './stages.ts';
import type { ResearchState } from './state.ts';

/** Runs a research to its end: the plain form. */
export async function researchLoop(state: ResearchState, context: RunContext): Promise<ResearchState> {
  let current = state;
  for (let stage = stageOf(current); stage !== null; stage = stageOf(current))
    current = await stages[stage](current, context);
  return current;
}
