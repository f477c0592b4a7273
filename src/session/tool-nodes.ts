/** What the planner asked for is done: a tool, a question to the person, work handed on, a history compacted. */
import type { RunnableConfig } from '@langchain/core/runnables';
import { interrupt } from '@langchain/langgraph';
import { sha256, type ToolResult, toolReply } from '../core/index.ts';
import { compactHistory } from './compact-history.ts';
import { foundIn } from './found-places.ts';
import type { GraphPorts } from './graph-ports.ts';
import { checked, openCalls, type State, siteOf } from './graph-state.ts';
import { aboutWork, came, handedOn } from './handed-on.ts';
import type { Message, ToolCallMessage } from './messages.ts';
import { untilAnswered } from './tool-data.ts';
import { toolText } from './tool-text.ts';

/** Tools of the session itself, beside the host's. */
export const ownTools = {
  ask_user: 'ask_user',
  task: 'task',
  compact_history: 'compact_history',
} as const;

/** They change the conversation or wait for the person, so each goes alone. */
export const goAlone: ReadonlySet<string> = new Set([ownTools.ask_user, ownTools.compact_history]);

export interface Given {
  readonly call: ToolCallMessage;
}

/** It needs the whole conversation, which no tool gets. */
export async function compacted(
  { messages }: State,
  config: RunnableConfig,
  { ask, pool, log, onTool }: GraphPorts,
) {
  const call = openCalls(messages)[0]!;
  const told = log.begun(call);
  const { thread, namespace } = siteOf(config);
  const keep = Number(call.args['keep_turns'] ?? 2);
  const { automatic } = call.args;
  const about = typeof automatic === 'string' ? { note: `by itself, at ${automatic}` } : {};
  onTool?.({ kind: 'started', call: call.id, name: call.name, ...about });
  const { result, rewind } = await compactHistory(messages, {
    call: call.id,
    thread,
    namespace,
    keepTurns: Number.isInteger(keep) ? keep : 2,
    ask,
    pool,
    ...(config.signal && { signal: config.signal }),
  });
  told(result);
  const note = result.ok ? result.text : result.error.message;
  onTool?.({ kind: 'finished', call: call.id, name: call.name, ok: result.ok, note });
  const more = [toolMessage(call, result)];
  return checked({ messages: rewind === undefined ? more : { rewind: { ...rewind, more } } });
}

export async function called({ call }: Given, config: RunnableConfig, ports: GraphPorts) {
  const { dispatcher, log, onTool } = ports;
  const told = log.begun(call);
  const task = call.name === ownTools.task && dispatcher !== undefined;
  const about = task ? { note: aboutWork(call) } : {};
  onTool?.({ kind: 'started', call: call.id, name: call.name, ...about });
  const { result, write_ids, note } = task
    ? await handedOn(call, siteOf(config), { dispatcher, role: ports.role, config })
    : came(await resultOf(call, config, ports));
  told(result);
  onTool?.({ kind: 'finished', call: call.id, name: call.name, ok: result.ok, ...(note && { note }) });
  return checked({
    messages: [toolMessage(call, result, write_ids)],
    ...(call.name === ownTools.task && { inFlight: { [call.id]: '' } }),
  });
}

function toolMessage(call: ToolCallMessage, result: ToolResult, write_ids: readonly string[] = []): Message {
  const found = foundIn(result);
  return {
    id: `m-${call.id}`,
    kind: 'tool',
    call: call.id,
    name: call.name,
    ok: result.ok,
    // The person's own words are no material.
    text: call.name === ownTools.ask_user && result.ok ? result.text : toolText(call.name, result),
    write_ids: [...write_ids],
    reads: result.ok ? [...result.reads] : [],
    origins: result.ok ? [...result.origins] : [],
    ...(found !== undefined && { found }),
  };
}

async function resultOf(
  call: ToolCallMessage,
  config: RunnableConfig,
  ports: GraphPorts,
): Promise<ToolResult> {
  const { thread, namespace } = siteOf(config);
  if (call.name === ownTools.ask_user) {
    const answer = interrupt({
      kind: 'question',
      call: call.id,
      question: String(call.args['question'] ?? ''),
    });
    return toolReply(typeof answer === 'string' ? answer : JSON.stringify(answer), null);
  }
  return untilAnswered(ports.tools, {
    name: call.name,
    args: call.args,
    idempotencyKey: sha256(`${thread}\0${namespace}\0${call.id}`),
    ...(config.signal && { signal: config.signal }),
  });
}
