/**
 * The entry point `sonde/langgraph`, for programs built on LangGraph: whoever does not use it need not load LangGraph.
 *
 * ```ts
 * import { researchGraph } from 'sonde/langgraph';
 * const research = researchGraph({ root: '.' }, { checkpointer });
 * const { result } = await research.invoke({ question: 'How are retries decided?' }, { configurable: { thread_id: 'one' } });
 * ```
 *
 * Without a checkpointer a graph takes that of the graph it is put into. What a run learns is kept in Sonde's own store;
 * the checkpointer keeps which run it is and how far it has come.
 */
export {
  conversationGraph,
  incidentGraph,
  investigationGraph,
  researchGraph,
} from './app/library/graphs.ts';
export { type CheckpointerOptions, ThreadCheckpointer } from './session/index.ts';
export type { CompileOptions as Compiling } from './session/staged-graph.ts';
