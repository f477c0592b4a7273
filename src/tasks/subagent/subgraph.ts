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
  /** Compiled without a checkpointer: it uses its caller's. Only its first node gets the role; no state contains it. */
  graph(context: TaskContext): SubgraphRunner<Input>;
}

/** Erases the types, so that different subgraphs fit into one list; the schemas still check the values. */
export function subgraph<Input, Output>(fields: Subgraph<Input, Output>): Subgraph {
  return Object.freeze(fields) as unknown as Subgraph;
}

/** The part of a compiled graph that its caller uses. */
export interface SubgraphRunner<Input> {
  invoke(input: Input, config: RunnableConfig): Promise<unknown>;
}
