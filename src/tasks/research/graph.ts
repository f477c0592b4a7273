import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import type { Crew } from './crew.ts';
import { mostSteps } from './limits.ts';
import { stageOf, stages } from './stages.ts';
import type { ResearchState } from './state.ts';

const Channels = Annotation.Root({ research: Annotation<ResearchState> });
type Held = typeof Channels.State;

/** Stages of the longest research: three a step, and a search before the answer. */
const recursionLimit = 3 * mostSteps + 10;

/**
 * The same research as a LangGraph graph, for those who want to draw it, stream it or put it into a larger
 * one. The nodes are the stages of the plain loop. It needs no checkpointer: what the stages learn is recorded
 * in the run's own journal, and a graph that is started again meets it there.
 */
export function researchGraph(crew: Crew) {
  const node = (stage: keyof typeof stages) => async (held: Held) => ({
    research: await stages[stage](held.research, crew),
  });
  const next = ({ research }: Held) => stageOf(research) ?? END;
  const ways = { plan: 'plan', choose: 'choose', act: 'act', call: 'call', [END]: END } as const;
  return new StateGraph(Channels)
    .addNode('plan', node('plan'))
    .addNode('choose', node('choose'))
    .addNode('act', node('act'))
    .addNode('call', node('call'))
    .addConditionalEdges(START, next, ways)
    .addConditionalEdges('plan', next, ways)
    .addConditionalEdges('choose', next, ways)
    .addConditionalEdges('act', next, ways)
    .addConditionalEdges('call', next, ways)
    .compile();
}

/** Carries a research to its end over the graph; the same end as `researchLoop` gives. */
export async function researchByGraph(state: ResearchState, crew: Crew): Promise<ResearchState> {
  const held = await researchGraph(crew).invoke({ research: state }, { recursionLimit });
  return held.research;
}
