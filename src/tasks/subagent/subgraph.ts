/**
 * The contract of a named subgraph: a graph that a subagent runs, inside the process and under the checkpoints
 * of its caller.
 */
import type { RunnableConfig } from '@langchain/core/runnables';
import type { z } from 'zod';
import type { TaskContext } from '../shape.ts';

export interface Subgraph<Input = unknown, Output = unknown> {
  /** Lower-case words joined by hyphens. */
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  readonly output: z.ZodType<Output>;
  /** Compiled without a checkpointer: it takes its caller's. The role goes to its first node and into no state. */
  graph(context: TaskContext): SubgraphRunner<Input>;
}

/** Erases the types, so that different subgraphs fit into one list; the schemas still check the values. */
export function subgraph<Input, Output>(fields: Subgraph<Input, Output>): Subgraph {
  return Object.freeze(fields) as unknown as Subgraph;
}

/** What a compiled graph is to its caller. */
export interface SubgraphRunner<Input> {
  invoke(input: Input, config: RunnableConfig): Promise<unknown>;
}
