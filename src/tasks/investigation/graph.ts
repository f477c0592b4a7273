import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import type { Workbench } from './cell/workbench.ts';
import type { StageLoop } from './loop.ts';
import type { RunContext, TreeNode } from './run-context.ts';
import { stageOf, stages } from './stages.ts';
import type { NodeState } from './state.ts';

const Channels = Annotation.Root({ investigation: Annotation<NodeState> });
type GraphState = typeof Channels.State;

/** Maximum number of nodes that LangGraph runs: more than the turns and cells of the longest investigation. */
const recursionLimit = 2_000;

/**
 * The investigation as a LangGraph graph, to draw it, stream it or embed it in a larger one. It needs no checkpointer,
 * since the run's own journal records each stage.
 */
export function investigationGraph(place: TreeNode, context: RunContext, bench: Workbench) {
  const node = (stage: keyof typeof stages) => async (graphState: GraphState) => {
    const investigation = await stages[stage](graphState.investigation, place, context, bench);
    if (stageOf(investigation) !== null) context.failure.check();
    return { investigation };
  };
  const next = ({ investigation }: GraphState) => stageOf(investigation) ?? END;
  const pathMap = { begin: 'begin', plan: 'plan', run: 'run', [END]: END } as const;
  return new StateGraph(Channels)
    .addNode('begin', node('begin'))
    .addNode('plan', node('plan'))
    .addNode('run', node('run'))
    .addConditionalEdges(START, next, pathMap)
    .addConditionalEdges('begin', next, pathMap)
    .addConditionalEdges('plan', next, pathMap)
    .addConditionalEdges('run', next, pathMap)
    .compile();
}

/** Runs an investigation to its end through the graph, with the same result as the plain loop. */
export const byGraph: StageLoop = async (state, place, context, bench) => {
  const graph = investigationGraph(place, context, bench);
  const graphState = await graph.invoke({ investigation: state }, { recursionLimit });
  return graphState.investigation;
};
