/** Everything that a planner with a model needs. Conversations without a model load none of it. */
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
import { type Effects, type Spoken, toToolCalls } from './tool-calls.ts';

export { dueCompaction } from '../history/auto-compaction.ts';
export { dialogueOf } from '../history/talk.ts';
export { askPlanner } from './ask-planner.ts';

/** The fixed beginning of a conversation's prompt. */
const system = fillPrompt(promptFile(new URL('./planner.md', import.meta.url)), { firewall: injectionGuard });

export function headOf(listed: readonly ToolListing[], dispatcher: Dispatcher | undefined): Head {
  return { system, tools: plannerTools(listed, dispatcher) };
}

const cutNotice = '(The answer was cut at the output limit of the model.)';

/** A reply of the planner as a message. */
export function toSpoken(
  id: string,
  { reply, added }: Extract<PlannerReply, { kind: 'said' }>,
  task: string,
  effects: Effects,
): Spoken {
  const calls = callsOf(reply).map(({ name, input }) => ({ name, args: input as ToolCallMessage['args'] }));
  const text = textOf(reply);
  const isCut = reply.stop === 'length' && calls.length === 0;
  return {
    id,
    kind: 'assistant',
    text: isCut ? `${text}\n\n${cutNotice}` : text,
    calls: toToolCalls(calls, task, effects),
    said: { by: reply.by, parts: reply.parts.map(partToKeep) },
    added,
  };
}

type KeptPart = NonNullable<Spoken['said']>['parts'][number];

/** The message holds the name and arguments of the call. */
function partToKeep(part: Part): KeptPart {
  const opaque = part.opaque === undefined ? {} : { opaque: part.opaque as KeptPart['opaque'] };
  if (part.kind !== 'call') return { kind: part.kind, text: part.text, ...opaque };
  const { id, fit }: Call = part;
  return { kind: 'call', id, fit, ...opaque };
}
