/**
 * The contract of a shape: a kind of work that `task()` dispatches. Its author gives a key, the schemas of input and
 * output, and how it continues after a crash. A handler must not: reach models, tools or budget except through its
 * context, hold state from one call to the next, start a process or a queue, or return what its output schema does not
 * describe.
 */
import type { RunnableConfig } from '@langchain/core/runnables';
import type { z } from 'zod';
import type { Capability, Journal, Pool, Step } from '../core/index.ts';
import type { Model } from '../model/index.ts';
import type { Asker } from '../session/index.ts';
import type { ToolClient } from '../tools/index.ts';

/**
 * reattach: called again with the same sub-thread, whose checkpoints it continues. restart: called again with a new
 * sub-thread.
 */
export type Recovery = 'reattach' | 'restart';

export interface TaskShape<Params = unknown, Output = unknown> {
  /** Lower-case words joined by hyphens. */
  readonly key: string;
  /** For a planner: what it does and when to use it. */
  readonly description: string;
  readonly paramSchema: z.ZodType<Params>;
  readonly outputSchema: z.ZodType<Output>;
  readonly recovery: Recovery;
  /** The capabilities that the caller needs for these parameters; checked before anything is done. */
  needs?(params: Params): readonly Capability[];
  handler(params: Params, context: TaskContext): Promise<Output>;
}

/** Erases the types, so that different shapes fit into one list; the schemas still check the values. */
export function shape<Params, Output>(fields: TaskShape<Params, Output>): TaskShape {
  return Object.freeze(fields) as unknown as TaskShape;
}

/** The clients that parent and children share. */
export interface TaskClients {
  readonly planner: Model;
  readonly analyst: Model;
  readonly tools: Pick<ToolClient, 'list' | 'call'>;
  /** Calls a model, metered and recorded; for all work without a model loop of its own. */
  readonly ask: Asker;
  /** A step of the turn's run: its recorded result is recalled after a crash. */
  readonly step: Step;
  /** The recorded steps, read-only. */
  readonly recorded: Pick<Journal, 'recall'>;
}

/** The place of a call in a conversation. */
export interface TaskSite {
  /** The id of the conversation. */
  readonly thread: string;
  /** The checkpoint namespace of the calling graph; empty for the conversation's own. */
  readonly namespace: string;
  /** The id of the planner's call: unique within the namespace, and the same if the step is repeated. */
  readonly call: string;
}

/** What a caller passes besides the shape and its parameters. */
export interface TaskRequest extends TaskSite {
  readonly clients: TaskClients;
  readonly pool: Pool;
  readonly capabilities: ReadonlySet<Capability>;
  /** Restricts the caller's capabilities; can't add any. */
  readonly only?: readonly Capability[];
  /** The role is resolved before the work starts; the entry node gets it, and no history contains it. */
  readonly role?: string | null;
  readonly signal?: AbortSignal;
  /** The config of the calling node, so that a nested graph writes its checkpoints below it. */
  readonly config?: RunnableConfig;
  /** How often this call was started before, according to the parent's checkpoint. Default 0. */
  readonly attempt?: number;
}

export interface TaskContext {
  readonly thread: string;
  /** A checkpoint namespace that only this call uses. */
  readonly subThread: string;
  readonly clients: TaskClients;
  /** A pool below the caller's: it can spend no more than the caller has left. */
  readonly pool: Pool;
  readonly capabilities: ReadonlySet<Capability>;
  readonly role: string | null;
  readonly signal: AbortSignal;
  /** The config for invoking a graph: thread, namespace, and the parent's checkpointer. */
  readonly config: RunnableConfig;
  readonly attempt: number;
  /** Starts nested work. The key of the call must be unique within this work. */
  task(shape: string | undefined, params: unknown, more: NestedTask): Promise<TaskOutcome>;
}

export type NestedTask = Pick<TaskRequest, 'call' | 'only' | 'role' | 'signal' | 'attempt' | 'config'> & {
  /** The caller's clients, possibly wrapped. */
  readonly clients?: TaskClients;
};

export const taskErrorCodes = [
  'unknown_shape',
  'bad_params',
  /** The caller lacks a capability; `details.capability` names it. */
  'capability',
  'bad_output',
  'failed',
  'cancelled',
] as const;
export type TaskErrorCode = (typeof taskErrorCodes)[number];

export interface TaskError {
  readonly code: TaskErrorCode;
  /** One line, naming the shape. */
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export type TaskOutcome =
  | { readonly kind: 'done'; readonly shape: string; readonly subThread: string; readonly output: unknown }
  | { readonly kind: 'failed'; readonly shape: string; readonly error: TaskError };
