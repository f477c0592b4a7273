/**
 * A second public door, for programs built on LangGraph: whoever does not use it need not load LangGraph.
 *
 * ```ts
 * import { ThreadCheckpointer } from 'sonde/langgraph';
 * ```
 */
export { type CheckpointerOptions, ThreadCheckpointer } from './session/index.ts';
