import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { maxSteps } from './limits.ts';
import type { RunContext } from './run-context.ts';
import { stageOf, stages } from './stages.ts';
import type { ResearchState } from './state.ts';

const Channels = Annotation.Root({ research: Annotation<ResearchState> });
type GraphState = typeof Channels.State;

/** Maximum number of stages that the graph may run: three per step, and a margin. */
const recursionLimit = 3 * maxSteps + 10;

/**
 * Returns research as a LangGraph graph, to draw it, stream it or embed it into a larger graph. Its nodes are the
 * stages of the plain loop. It needs no checkpointer: the stages record their results in the run's journal, from which
 * a restarted graph continues.
 */
export function researchGraph(context: RunContext) {
  const node = (stage: keyof typeof stages) => async (graphState: GraphState) => ({
    research: await stages[stage](graphState.research, context),
  });
  const next = ({ research }: GraphState) => stageOf(research) ?? END;
  const pathMap = { plan: 'plan', choose: 'choose', act: 'act', call: 'call', [END]: END } as const;
  return new StateGraph(Channels)
    .addNode('plan', node('plan'))
    .addNode('choose', node('choose'))
    .addNode('act', node('act'))
    .addNode('call', node('call'))
    .addConditionalEdges(START, next, pathMap)
    .addConditionalEdges('plan', next, pathMap)
    .addConditionalEdges('choose', next, pathMap)
    .addConditionalEdges('act', next, pathMap)
    .addConditionalEdges('call', next, pathMap)
    .compile();
}

/** Runs a research to its end through the graph, with the same result as `researchLoop`. */
export async function researchByGraph(state: ResearchState, context: RunContext): Promise<ResearchState> {
  const graphState = await researchGraph(context).invoke({ research: state }, { recursionLimit });
  return graphState.research;
}
