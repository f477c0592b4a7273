/**
 * The entry point `sonde/langgraph`, for programs built on LangGraph. Other programs need not load LangGraph.
 *
 * ```ts
 * import { researchGraph } from 'sonde/langgraph';
 * const research = researchGraph({ root: '.' }, { checkpointer });
 * const { result } = await research.invoke({ question: 'How are retries decided?' }, { configurable: { thread_id: 'one' } });
 * ```
 *
 * Without a checkpointer, a graph uses the one of its parent graph. Sonde's own store keeps what a run has found; the
 * checkpointer keeps only which run it is and how far it has come.
 */
export {
  conversationGraph,
  incidentGraph,
  investigationGraph,
  researchGraph,
} from './app/library/graphs.ts';
export { type CheckpointerOptions, ThreadCheckpointer } from './session/index.ts';
export type { CompileOptions } from './session/staged-graph.ts';
