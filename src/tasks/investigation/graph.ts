import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import type { Workbench } from './cell/workbench.ts';
import type { StageLoop } from './loop.ts';
import type { RunContext, TreeNode } from './run-context.ts';
import { stageOf, stages } from './stages.ts';
import type { NodeState } from './state.ts';

const Channels = Annotation.Root({ investigation: Annotation<NodeState> });
type GraphState = typeof Channels.State;

/** LangGraph stops a graph after this many nodes. It is more than the turns and cells of the longest investigation. */
const recursionLimit = 2_000;

/**
 * The investigation as a LangGraph graph, to draw it, stream it or embed it in a larger one. It needs no checkpointer,
 * since the run's own journal records each stage.
 */
export function investigationGraph(place: TreeNode, context: RunContext, bench: Workbench) {
  const node = (stage: keyof typeof stages) => async (held: GraphState) => {
    const investigation = await stages[stage](held.investigation, place, context, bench);
    if (stageOf(investigation) !== null) context.failure.check();
    return { investigation };
  };
  const next = ({ investigation }: GraphState) => stageOf(investigation) ?? END;
  const ways = { begin: 'begin', plan: 'plan', run: 'run', [END]: END } as const;
  return new StateGraph(Channels)
    .addNode('begin', node('begin'))
    .addNode('plan', node('plan'))
    .addNode('run', node('run'))
    .addConditionalEdges(START, next, ways)
    .addConditionalEdges('begin', next, ways)
    .addConditionalEdges('plan', next, ways)
    .addConditionalEdges('run', next, ways)
    .compile();
}

/** Ends like the plain loop. */
export const byGraph: StageLoop = async (state, place, context, bench) => {
  const graph = investigationGraph(place, context, bench);
  const held = await graph.invoke({ investigation: state }, { recursionLimit });
  return held.investigation;
};
