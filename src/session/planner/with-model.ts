/** Parts that only a planner with a model needs. Conversations without a model don't load them. */
import { injectionGuard } from '../../core/index.ts';
import {
  type Call,
  callsOf,
  fillPrompt,
  type Head,
  type Part,
  promptFile,
  textOf,
} from '../../model/index.ts';
import type { ToolListing } from '../../tools/index.ts';
import type { Dispatcher } from '../dispatcher.ts';
import type { ToolCallMessage } from '../history/messages.ts';
import type { PlannerReply } from './ask-planner.ts';
import { plannerTools } from './own-tools.ts';
import { type AssistantMessage, type Effects, toToolCalls } from './tool-calls.ts';

export { findDueCompaction } from '../history/auto-compaction.ts';
export { toDialogue } from '../history/planner-dialogue.ts';
export { askPlanner } from './ask-planner.ts';

/** The fixed beginning of a conversation's prompt. */
const system = fillPrompt(promptFile(new URL('./planner.md', import.meta.url)), { firewall: injectionGuard });

export function createHead(listed: readonly ToolListing[], dispatcher: Dispatcher | undefined): Head {
  return { system, tools: plannerTools(listed, dispatcher) };
}

const cutNotice = '(The answer was cut at the output limit of the model.)';

/** A reply of the planner as a message. */
export function toAssistantMessage(
  id: string,
  { reply, added }: Extract<PlannerReply, { kind: 'said' }>,
  task: string,
  effects: Effects,
): AssistantMessage {
  const calls = callsOf(reply).map(({ name, input }) => ({ name, args: input as ToolCallMessage['args'] }));
  const text = textOf(reply);
  const isCut = reply.stop === 'length' && calls.length === 0;
  return {
    id,
    kind: 'assistant',
    text: isCut ? `${text}\n\n${cutNotice}` : text,
    calls: toToolCalls(calls, task, effects),
    said: { by: reply.by, parts: reply.parts.map(toStoredPart) },
    added,
  };
}

type StoredPart = NonNullable<AssistantMessage['said']>['parts'][number];

/** The message holds the name and arguments of the call. */
function toStoredPart(part: Part): StoredPart {
  const opaque = part.opaque === undefined ? {} : { opaque: part.opaque as StoredPart['opaque'] };
  if (part.kind !== 'call') return { kind: part.kind, text: part.text, ...opaque };
  const { id, fit }: Call = part;
  return { kind: 'call', id, fit, ...opaque };
}
