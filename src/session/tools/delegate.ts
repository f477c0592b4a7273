/** Runs a call of `task`: describes it for people, and converts its result to that of a tool. */
import type { RunnableConfig } from '@langchain/core/runnables';
import {
  plainLine,
  shortLine,
  type ToolErrorCode,
  type ToolResult,
  toolFailure,
  toolReply,
} from '../../core/index.ts';
import type { Dispatcher, DispatchResult } from '../dispatcher.ts';
import type { ToolCallMessage } from '../history/messages.ts';
import { formatWork } from './work-text.ts';

export interface Outcome {
  readonly result: ToolResult;
  readonly write_ids: readonly string[];
  /** A line for people. */
  readonly note?: string;
}

/** The outcome of a tool's own result. */
export const toOutcome = (result: ToolResult): Outcome => ({
  result,
  write_ids: result.ok && result.write !== null ? [result.write.write_id] : [],
});

export interface DelegateOptions {
  readonly dispatcher: Dispatcher;
  readonly role: string | null;
  readonly config: RunnableConfig;
}

export async function delegate(
  { id, args }: ToolCallMessage,
  { thread, namespace }: { readonly thread: string; readonly namespace: string },
  { dispatcher, role, config }: DelegateOptions,
): Promise<Outcome> {
  const outcome = await dispatcher.task(readShape(args), args['params'], {
    thread,
    namespace,
    call: id,
    role,
    config,
    ...(config.signal && { signal: config.signal }),
  });
  return outcome.kind === 'failed' ? toFailure(outcome.error) : toSuccess(outcome);
}

/** Errors of `task()` as tool errors, which a planner distinguishes by code. */
const toolCodes: Readonly<Record<string, ToolErrorCode>> = {
  capability: 'capability',
  bad_params: 'validation',
  unknown_shape: 'validation',
  cancelled: 'cancelled',
};

function toFailure(error: Extract<DispatchResult, { kind: 'failed' }>['error']): Outcome {
  const { code, message } = error;
  const result = toolFailure(toolCodes[code] ?? 'tool', message, { details: { ...error } });
  return { result, write_ids: [], note: message };
}

function toSuccess({ output, write_ids }: Extract<DispatchResult, { kind: 'done' }>): Outcome {
  const { status, verdict } = (output ?? {}) as { readonly status?: unknown; readonly verdict?: unknown };
  const note = [status, verdict].find((each) => typeof each === 'string');
  const reads = runIdsOf(output);
  const origins = reads.length > 0 ? reads : ['tool:task'];
  const result = toolReply(formatWork(output) ?? JSON.stringify(output), output, { reads, origins });
  return { result, write_ids, ...(note !== undefined && { note }) };
}

/** The run of delegated work. A reader of its result counts as a reader of all that the run read, by its log. */
export function runIdsOf(output: unknown): readonly string[] {
  const { run_id } = (output ?? {}) as { readonly run_id?: unknown };
  return typeof run_id === 'string' ? [run_id] : [];
}

export function readShape(args: ToolCallMessage['args']): string {
  return typeof args['shape'] === 'string' ? args['shape'] : 'subagent-subgraph';
}

/** Maximum characters of a line for people. */
const lineLength = 100;

/** A line about the work: its shape, and the first text among its parameters. */
export function describeWork({ args }: ToolCallMessage): string {
  const params = typeof args['params'] === 'object' && args['params'] !== null ? args['params'] : {};
  const words = Object.values(params).find((each) => typeof each === 'string');
  return shortLine(
    plainLine(words === undefined ? readShape(args) : `${readShape(args)}: ${words}`),
    lineLength,
  );
}
