/** Runs the planner's calls: a tool, a question to the person, delegated work, a compaction. */
import type { RunnableConfig } from '@langchain/core/runnables';
import { interrupt } from '@langchain/langgraph';
import { z } from 'zod';
import { sha256, type ToolResult, toolFailure, toolReply } from '../../core/index.ts';
import { uncut } from '../../model/dialogue/dialogue.ts';
import type { GraphPorts } from '../graph-ports.ts';
import { checkUpdate, countDecisions, findOpenCalls, readSite, type State } from '../graph-state.ts';
import type { FoundPlace, Message, ToolCallMessage } from '../history/messages.ts';
import { createCancelledError } from '../planner/open-step.ts';
import { ownTools } from '../planner/own-tools.ts';
import { delegate, describeWork, type Outcome, toOutcome } from './delegate.ts';
import { callUntilAnswered } from './tool-data.ts';
import { createFinishedEvents, createStartedEvent } from './tool-events.ts';
import { formatToolResult } from './tool-text.ts';

export interface ToolCallRequest {
  readonly call: ToolCallMessage;
  /** The step of the planner in this turn. This and `why` are absent in messages of an earlier version. */
  readonly step?: number;
  /** The planner's words next to its calls. */
  readonly why?: string;
}

/** Compaction is not an ordinary tool, since it needs the whole conversation. */
export async function runCompaction({ messages, cut }: State, config: RunnableConfig, ports: GraphPorts) {
  const { ask, pool, onTool } = ports;
  const call = findOpenCalls(messages)[0]!;
  const { thread, namespace } = readSite(config);
  const turnsToKeep = Number(call.args['keep_turns'] ?? 2);
  const { automatic } = call.args;
  const noteField = typeof automatic === 'string' ? { note: `by itself, at ${automatic}` } : {};
  onTool?.({ kind: 'started', call: call.id, name: call.name, ...noteField });
  const { compactHistory } = await import('../history/compact-history.ts');
  const { result, rewind } = await logResult({ call, step: countDecisions(messages) }, ports, () =>
    compactHistory(messages, {
      call: call.id,
      thread,
      namespace,
      keepTurns: Number.isInteger(turnsToKeep) ? turnsToKeep : 2,
      window: ports.planner.contextWindow,
      ask,
      pool,
      ...(config.signal && { signal: config.signal }),
    }),
  );
  const note = result.ok ? result.text : result.error.message;
  onTool?.({ kind: 'finished', call: call.id, name: call.name, ok: result.ok, note });
  const newMessages = [toToolMessage(call, result)];
  if (rewind === undefined) return checkUpdate({ messages: newMessages });
  const { sent: _, ...learned } = cut;
  // The remaining messages form a new dialogue, of which nothing has been cut.
  return checkUpdate({
    messages: { rewind: { ...rewind, more: newMessages } },
    cut: { ...learned, ...uncut },
  });
}

export async function callTool(toolCallRequest: ToolCallRequest, config: RunnableConfig, ports: GraphPorts) {
  const { call } = toolCallRequest;
  const { dispatcher, onTool } = ports;
  const isTask = call.name === ownTools.task && dispatcher !== undefined;
  const noteField = isTask ? { note: describeWork(call) } : {};
  onTool?.({ kind: 'started', call: call.id, name: call.name, ...noteField });
  const { result, write_ids, note } = await logResult(
    toolCallRequest,
    ports,
    async (): Promise<Outcome> =>
      isTask && isReadable(call)
        ? delegate(call, readSite(config), { dispatcher, role: ports.role, config })
        : toOutcome(await executeCall(call, config, ports)),
  );
  onTool?.({ kind: 'finished', call: call.id, name: call.name, ok: result.ok, ...(note && { note }) });
  return checkUpdate({
    messages: [toToolMessage(call, result, write_ids)],
    ...(call.name === ownTools.task && { inFlight: { [call.id]: '' } }),
  });
}

/**
 * Runs a call and logs its result. The following checkpoint stores the result. After a crash between the two, the call
 * is made again, but not logged twice.
 */
async function logResult<Value extends { readonly result: ToolResult }>(
  { call, step = 1, why = '' }: ToolCallRequest,
  { step: runStep, clock, evidence }: GraphPorts,
  execute: () => Promise<Value>,
): Promise<Value> {
  let outcome: Value | undefined;
  const startedAt = clock.now();
  const stepResult = await runStep(`${call.id}/call`, {
    deferCommit: true,
    startEvent: createStartedEvent(call, { step, why }),
    async run() {
      outcome = await execute();
      const wallMs = clock.now() - startedAt;
      return {
        value: null,
        events: createFinishedEvents(call, outcome.result, { step, wallMs, known: evidence() }),
      };
    },
  });
  if (stepResult.kind !== 'done') throw createCancelledError();
  return outcome ?? execute();
}

/** Ids of the content that the call made. Its caller counts as a reader of that content. */
export function listMade({ write }: Extract<ToolResult, { ok: true }>): readonly string[] {
  return write?.applied === true ? write.content_ids : [];
}

function toToolMessage(
  call: ToolCallMessage,
  result: ToolResult,
  write_ids: readonly string[] = [],
): Message {
  const places = findPlaces(result);
  return {
    id: `m-${call.id}`,
    kind: 'tool',
    call: call.id,
    name: call.name,
    ok: result.ok,
    // The person's own words are not material.
    text: call.name === ownTools.ask_user && result.ok ? result.text : formatToolResult(call.name, result),
    write_ids: [...write_ids],
    reads: result.ok ? [...result.reads] : [],
    ...(result.ok && listMade(result).length > 0 && { made: [...listMade(result)] }),
    origins: result.ok ? [...result.origins] : [],
    ...(places !== undefined && { found: places }),
  };
}

/** Maximum calls in one reply of the planner. */
const maxCalls = 16;

const isReadable = ({ args }: ToolCallMessage): boolean => !('unreadable_arguments' in args);

async function executeCall(
  call: ToolCallMessage,
  config: RunnableConfig,
  ports: GraphPorts,
): Promise<ToolResult> {
  const { thread, namespace } = readSite(config);
  if (!isReadable(call))
    return toolFailure('validation', 'The arguments were no JSON object', {
      remedy: 'Write the call again; nothing was done.',
    });
  if (Number(call.id.slice(call.id.lastIndexOf('/') + 1)) >= maxCalls)
    return toolFailure('validation', `Not carried out: at most ${maxCalls} calls are made at once`, {
      remedy: 'Make this one in your next reply, where you still want it.',
    });
  if (call.name === ownTools.ask_user) {
    const { question } = call.args;
    if (typeof question !== 'string' || question.trim() === '')
      return toolFailure('validation', 'There is no question', { remedy: 'Give it as the text `question`.' });
    const answer = interrupt({ kind: 'question', call: call.id, question });
    return toolReply(typeof answer === 'string' ? answer : JSON.stringify(answer), null);
  }
  return callUntilAnswered(ports.tools, {
    name: call.name,
    args: call.args,
    idempotencyKey: sha256(`${thread}\0${namespace}\0${call.id}`),
    ...(config.signal && { signal: config.signal }),
  });
}

/** Maximum places that are kept of one search; the rest is only in its text. */
const maxPlaces = 10;
const maxSnippetLength = 600;

const hitsSchema = z.object({
  hits: z.array(
    z.object({ path: z.string(), page: z.string(), blocks: z.array(z.string()), snippet: z.string() }),
  ),
});

/** The places that a search over pages found; undefined if the result is not of such a search. */
function findPlaces(result: ToolResult): FoundPlace[] | undefined {
  const parsed = result.ok ? hitsSchema.safeParse(result.data) : null;
  if (parsed === null || !parsed.success) return undefined;
  return parsed.data.hits.slice(0, maxPlaces).map(({ path, page, blocks, snippet }) => ({
    path,
    page,
    block: blocks[0] ?? null,
    snippet: snippet.slice(0, maxSnippetLength).toWellFormed(),
  }));
}
