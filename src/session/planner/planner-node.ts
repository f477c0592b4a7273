/** The planner's reply: a message, calls of tools, or both; if necessary preceded by the call that makes room. */
import type { RunnableConfig } from '@langchain/core/runnables';
import { type Call, callsOf, type Part, textOf } from '../../model/index.ts';
import type { GraphPorts } from '../graph-ports.ts';
import { checkUpdate, decisionsIn, type State, siteOf } from '../graph-state.ts';
import { dueCompaction } from '../history/auto-compaction.ts';
import type { Message, ToolCallMessage } from '../history/messages.ts';
import { dialogueOf } from '../history/talk.ts';
import { shapeOf } from '../tools/delegated.ts';
import { askPlanner, cancelled, openStep, type PlannerReply } from './ask-planner.ts';
import { headOf } from './head.ts';
import { goAlone, ownTools } from './own-tools.ts';

type Spoken = Extract<Message, { kind: 'assistant' }>;
type Effects = ReadonlyMap<string, ToolCallMessage['effect']>;

export async function runPlanner(state: State, config: RunnableConfig, ports: GraphPorts) {
  const { tools, dispatcher, plan, role, autoCompaction } = ports;
  const { task } = siteOf(config);
  const id = `m-${task}`;
  const listed = await tools.list();
  const effects: Effects = new Map(listed.map(({ name, effect }) => [name, effect]));
  if (plan !== undefined) {
    await openStep(state, config, ports, () => null);
    const { text, calls } = plan(state.messages);
    return decide({ id, kind: 'assistant', text, calls: toToolCalls(calls, task, effects) }, config, ports);
  }
  const head = headOf(listed, dispatcher);
  const due =
    autoCompaction === undefined
      ? null
      : dueCompaction(state.messages, dialogueOf(state.messages, head, { role }), state.cut, autoCompaction);
  if (due !== null) {
    await openStep(state, config, ports, () => null);
    const call = { name: ownTools.compact_history, args: due };
    return decide(
      { id, kind: 'assistant', text: '', calls: toToolCalls([call], task, effects) },
      config,
      ports,
    );
  }
  const said = await askPlanner(state, head, config, ports);
  if (said.kind === 'said') {
    const spoken = toSpoken(id, said, task, effects);
    const text = spoken.calls.length === 0 ? await checkedText(spoken, state, ports) : spoken.text;
    return { ...decide({ ...spoken, text }, config, ports), ...checkUpdate({ cut: said.cut }) };
  }
  const { resource } = said;
  const number = decisionsIn(state.messages) + 1;
  await ports.step(`${id}/exhausted`, {
    cheap: true,
    run: async () => ({
      value: null,
      events: [
        [`step-${number}/exhausted-${resource}`, { kind: 'budget_exhausted', step: number, exhausted: said }],
      ],
    }),
  });
  return checkUpdate({ end: { kind: 'exhausted', resource } });
}

/** The answer for the person: unsupported claims are marked, and all claims are logged. */
async function checkedText(
  { id, text }: Spoken,
  { messages }: State,
  { check, step }: GraphPorts,
): Promise<string> {
  if (check === undefined) return text;
  const checked = await check(text, messages);
  const { claims, note } = checked;
  const taken = await step(`${id}/claims`, {
    cheap: true,
    run: async () => ({
      value: null,
      events: [
        [`${id}/claims`, { kind: 'claims_checked', claims }],
        ...(note === null ? [] : [[`${id}/unread`, { kind: 'note', level: 'info', text: note }] as const]),
      ],
    }),
  });
  if (taken.kind !== 'done') throw cancelled();
  return checked.text;
}

function toToolCalls(
  calls: readonly { readonly name: string; readonly args: ToolCallMessage['args'] }[],
  task: string,
  effects: Effects,
): ToolCallMessage[] {
  return calls.map(({ name, args }, index) => ({
    id: `${task}/${index}`,
    name,
    args,
    effect: goAlone.has(name) ? 'write' : (effects.get(name) ?? 'read'),
  }));
}

const cutShort = '(The answer was cut at the output limit of the model.)';

function toSpoken(
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
    text: isCut ? `${text}\n\n${cutShort}` : text,
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

function decide(message: Spoken, config: RunnableConfig, { dispatcher }: GraphPorts) {
  const { thread, namespace } = siteOf(config);
  const flying = message.calls.flatMap(({ id, name, args }): [string, string][] =>
    name === ownTools.task && dispatcher !== undefined
      ? [[id, dispatcher.subThreadOf({ thread, namespace, call: id }, shapeOf(args))]]
      : [],
  );
  return checkUpdate({
    messages: [message],
    inFlight: Object.fromEntries(flying),
    end: message.calls.length === 0 ? { kind: 'answered' } : null,
  });
}
