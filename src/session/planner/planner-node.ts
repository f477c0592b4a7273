/**
 * The node of the planner. Its reply is a message, calls of tools, or both. If the conversation is too long, a
 * compaction comes first.
 */
import type { RunnableConfig } from '@langchain/core/runnables';
import type { GraphPorts } from '../graph-ports.ts';
import { checkUpdate, countDecisions, readSite, type State } from '../graph-state.ts';
import { readShape } from '../tools/delegate.ts';
import { createCancelledError, openStep } from './open-step.ts';
import { ownTools } from './own-tools.ts';
import { type AssistantMessage, type Effects, toToolCalls } from './tool-calls.ts';

export async function runPlanner(state: State, config: RunnableConfig, ports: GraphPorts) {
  const { tools, dispatcher, plan, role, autoCompaction } = ports;
  const { task } = readSite(config);
  const id = `m-${task}`;
  const listed = await tools.list();
  const effects: Effects = new Map(listed.map(({ name, effect }) => [name, effect]));
  if (plan !== undefined) {
    await openStep(state, config, ports, () => null);
    const { text, calls } = plan(state.messages);
    return toUpdate({ id, kind: 'assistant', text, calls: toToolCalls(calls, task, effects) }, config, ports);
  }
  const { askPlanner, toDialogue, findDueCompaction, createHead, toAssistantMessage } = await import(
    './with-model.ts'
  );
  const head = createHead(listed, dispatcher);
  const compactionArgs =
    autoCompaction === undefined
      ? null
      : findDueCompaction(
          state.messages,
          toDialogue(state.messages, head, { role }),
          state.cut,
          autoCompaction,
        );
  if (compactionArgs !== null) {
    await openStep(state, config, ports, () => null);
    const call = { name: ownTools.compact_history, args: compactionArgs };
    return toUpdate(
      { id, kind: 'assistant', text: '', calls: toToolCalls([call], task, effects) },
      config,
      ports,
    );
  }
  const plannerReply = await askPlanner(state, head, config, ports);
  if (plannerReply.kind === 'said') {
    const replyMessage = toAssistantMessage(id, plannerReply, task, effects);
    const text =
      replyMessage.calls.length === 0 ? await checkAnswer(replyMessage, state, ports) : replyMessage.text;
    return {
      ...toUpdate({ ...replyMessage, text }, config, ports),
      ...checkUpdate({ cut: plannerReply.cut }),
    };
  }
  const { resource, remedy } = plannerReply;
  const number = countDecisions(state.messages) + 1;
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
async function checkAnswer(
  { id, text }: AssistantMessage,
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
  if (stepResult.kind !== 'done') throw createCancelledError();
  return checked.text;
}

function toUpdate(message: AssistantMessage, config: RunnableConfig, { dispatcher }: GraphPorts) {
  const { thread, namespace } = readSite(config);
  const startedSubThreads = message.calls.flatMap(({ id, name, args }): [string, string][] =>
    name === ownTools.task && dispatcher !== undefined
      ? [[id, dispatcher.subThreadOf({ thread, namespace, call: id }, readShape(args))]]
      : [],
  );
  return checkUpdate({
    messages: [message],
    inFlight: Object.fromEntries(startedSubThreads),
    end: message.calls.length === 0 ? { kind: 'answered' } : null,
  });
}
