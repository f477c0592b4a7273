import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { maxSteps } from './limits.ts';
import type { RunContext } from './run-context.ts';
import { stageOf, stages } from './stages.ts';
import type { ResearchState } from './state.ts';

const Channels = Annotation.Root({ research: Annotation<ResearchState> });
type GraphState = typeof Channels.State;

/** The maximum number of stages of a research: three per step, and a search before the answer. */
const recursionLimit = 3 * maxSteps + 10;

/**
 * Research as a LangGraph graph, to draw it, stream it or embed it into a larger graph. Its nodes are the stages of the
 * plain loop. It needs no checkpointer: the stages record their results in the run's own journal, so that a graph that
 * is started again continues from there.
 */
export function researchGraph(context: RunContext) {
  const node = (stage: keyof typeof stages) => async (held: GraphState) => ({
    research: await stages[stage](held.research, context),
  });
  const next = ({ research }: GraphState) => stageOf(research) ?? END;
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

/** Runs a research to its end over the graph, with the same end as `researchLoop`. */
export async function researchByGraph(state: ResearchState, context: RunContext): Promise<ResearchState> {
  const held = await researchGraph(context).invoke({ research: state }, { recursionLimit });
  return held.research;
}
