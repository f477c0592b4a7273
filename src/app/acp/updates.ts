/** Calls of tools as an editor shows them. */
import type { SessionUpdate, ToolKind } from '@agentclientprotocol/sdk';
import type { AgentEvent } from '../agent/channel/channel.ts';
import type { Change } from '../http/feed/changes.ts';

const kinds: readonly (readonly [RegExp, ToolKind])[] = [
  [/^(search|find|grep)/, 'search'],
  [/^(read|open|list|show|current|recall|get)/, 'read'],
  [/^delete/, 'delete'],
  [/^(move|rename)/, 'move'],
  [/^(create|update|add|set|remove|propose|promote|resolve)/, 'edit'],
  [/^(run_python|task)/, 'execute'],
  [/^(compact|ask_user)/, 'think'],
];

const findKind = (name: string): ToolKind => kinds.find(([pattern]) => pattern.test(name))?.[1] ?? 'other';

type ToolStarted = Extract<AgentEvent, { kind: 'tool_started' }>;
type ToolFinished = Extract<AgentEvent, { kind: 'tool_finished' }>;
type ToolCallUpdate = Extract<SessionUpdate, { sessionUpdate: 'tool_call' }>;

export const toToolCall = (id: string, name: string, about: string): ToolCallUpdate => ({
  sessionUpdate: 'tool_call',
  toolCallId: id,
  title: `${name} ${about}`.trim(),
  kind: findKind(name),
});

/** Each turn numbers its calls from 1, so the id of a call contains the turn. */
export const toStartedCall = (turn: string, { call, name, about }: ToolStarted): ToolCallUpdate => ({
  ...toToolCall(`${turn}-${call}`, name, about),
  status: 'in_progress',
});

/** A page has no file. The path of the diff is the one that an exported file would have. */
export const toDiff = (
  workspace: string,
  { path, before, after }: Pick<Change, 'path' | 'before' | 'after'>,
) => ({
  type: 'diff' as const,
  path: `/${workspace}/${path ?? 'page'}.md`,
  oldText: before,
  newText: after ?? '',
});

export const toCallUpdate = (
  turn: string,
  { call, ok, note }: ToolFinished,
  { workspace, changes }: { readonly workspace: string; readonly changes: readonly Change[] },
): SessionUpdate => ({
  sessionUpdate: 'tool_call_update',
  toolCallId: `${turn}-${call}`,
  status: ok ? 'completed' : 'failed',
  content: [
    { type: 'content', content: { type: 'text', text: note } },
    ...changes.map((change) => toDiff(workspace, change)),
  ],
});
