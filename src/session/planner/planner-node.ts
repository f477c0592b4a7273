/** The planner's reply: a message, calls of tools, or both; if necessary preceded by the call that makes room. */
import type { RunnableConfig } from '@langchain/core/runnables';
import type { GraphPorts } from '../graph-ports.ts';
import { checkUpdate, decisionsIn, type State, siteOf } from '../graph-state.ts';
import { shapeOf } from '../tools/delegated.ts';
import { cancelledError, openStep } from './open-step.ts';
import { ownTools } from './own-tools.ts';
import { type Effects, type Spoken, toToolCalls } from './tool-calls.ts';

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
  const { askPlanner, dialogueOf, dueCompaction, headOf, toSpoken } = await import('./with-model.ts');
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
  const plannerReply = await askPlanner(state, head, config, ports);
  if (plannerReply.kind === 'said') {
    const spoken = toSpoken(id, plannerReply, task, effects);
    const text = spoken.calls.length === 0 ? await checkedText(spoken, state, ports) : spoken.text;
    return { ...decide({ ...spoken, text }, config, ports), ...checkUpdate({ cut: plannerReply.cut }) };
  }
  const { resource, remedy } = plannerReply;
  const number = decisionsIn(state.messages) + 1;
  await ports.step(`${id}/exhausted`, {
    deferCommit: true,
    run: async () => ({
      value: null,
      events: [
        [
          `step-${number}/exhausted-${resource}`,
          { kind: 'budget_exhausted', step: number, exhausted: plannerReply },
        ],
      ],
    }),
  });
  return checkUpdate({
    end: { kind: 'exhausted', resource, ...(remedy !== undefined && { remedy }) },
  });
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
  const stepResult = await step(`${id}/claims`, {
    deferCommit: true,
    run: async () => ({
      value: null,
      events: [
        [`${id}/claims`, { kind: 'claims_checked', claims }],
        ...(note === null ? [] : [[`${id}/unread`, { kind: 'note', level: 'info', text: note }] as const]),
      ],
    }),
  });
  if (stepResult.kind !== 'done') throw cancelledError();
  return checked.text;
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
