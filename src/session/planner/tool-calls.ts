import type { Message, ToolCallMessage } from '../history/messages.ts';
import { exclusiveTools } from './own-tools.ts';

export type AssistantMessage = Extract<Message, { kind: 'assistant' }>;
export type Effects = ReadonlyMap<string, ToolCallMessage['effect']>;

export function toToolCalls(
  calls: readonly { readonly name: string; readonly args: ToolCallMessage['args'] }[],
  task: string,
  effects: Effects,
): ToolCallMessage[] {
  return calls.map(({ name, args }, index) => ({
    id: `${task}/${index}`,
    name,
    args,
    effect: exclusiveTools.has(name) ? 'write' : (effects.get(name) ?? 'read'),
  }));
}
