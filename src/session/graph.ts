/**
 * The conversation as a graph: a planner and the tools it asks for, until it answers. No context is put together
 * before the planner's first word. What is in the state is checked where a node ends; after every tool there is a
 * checkpoint, and what is done again after a crash has the same keys.
 */
import type { RunnableConfig } from '@langchain/core/runnables';
import {
  Annotation,
  type BaseCheckpointSaver,
  END,
  interrupt,
  Send,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { z } from 'zod';
import { type Pool, SondeError, sha256, type ToolResult, toolReply } from '../core/index.ts';
import type { ToolClient } from '../tools/index.ts';
import type { Asker } from './ask.ts';
import { type AutoCompaction, dueCompaction } from './auto-compaction.ts';
import { compactHistory } from './compact-history.ts';
import { decide } from './decide.ts';
import type { Dispatcher } from './dispatcher.ts';
import { aboutWork, came, handedOn, shapeOf } from './handed-on.ts';
import {
  type Message,
  type MessagesUpdate,
  messagesUpdate,
  type ToolCallMessage,
  withUpdate,
} from './messages.ts';
import type { Plan } from './plan.ts';
import { pageOf, toolLines } from './planner-page.ts';
import { toolText } from './tool-text.ts';
import type { TurnLog } from './turn-log.ts';

/** How a turn ended. */
export const turnEnd = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('answered') }),
  z.strictObject({ kind: z.literal('exhausted'), resource: z.string() }),
  z.strictObject({ kind: z.literal('failed'), code: z.string(), message: z.string(), remedy: z.string() }),
  /** Nobody wanted it to go on. */
  z.strictObject({ kind: z.literal('dropped') }),
]);
export type TurnEnd = z.infer<typeof turnEnd>;

const flights = z.record(z.string(), z.string());
type Flights = z.infer<typeof flights>;

const Channels = Annotation.Root({
  messages: Annotation<readonly Message[], MessagesUpdate>({ reducer: withUpdate, default: () => [] }),
  /** Sub-threads at work, by call; an empty one has ended. */
  inFlight: Annotation<Flights, Flights>({
    reducer: (held, more) =>
      Object.fromEntries(Object.entries({ ...held, ...more }).filter(([, at]) => at !== '')),
    default: () => ({}),
  }),
  end: Annotation<TurnEnd | null>(),
});
type State = typeof Channels.State;

const updates = z.strictObject({
  messages: messagesUpdate.optional(),
  inFlight: flights.optional(),
  end: turnEnd.nullable().optional(),
});

export interface GraphPorts {
  readonly ask: Asker;
  readonly tools: Pick<ToolClient, 'list' | 'call'>;
  /** Absent: this planner can hand on nothing. */
  readonly dispatcher?: Dispatcher;
  readonly pool: Pool;
  /** In place of the planner's model. */
  readonly plan?: Plan;
  /** Resolved for this turn; given to the planner, and to no state. */
  readonly role: string | null;
  /** Absent: only the planner itself compacts its history. */
  readonly autoCompaction?: AutoCompaction;
  readonly log: TurnLog;
  readonly onText?: (piece: string) => void;
  readonly onTool?: (event: ToolEvent) => void;
}

/** The note is a line for people: what it is about, or what came of it. */
export type ToolEvent =
  | { readonly kind: 'started'; readonly call: string; readonly name: string; readonly note?: string }
  | {
      readonly kind: 'finished';
      readonly call: string;
      readonly name: string;
      readonly ok: boolean;
      readonly note?: string;
    };

/** Tools of the session itself, beside the host's. */
const ownTools = {
  ask_user: 'ask_user',
  task: 'task',
  compact_history: 'compact_history',
} as const;

/** They change the conversation or wait for the person, so each goes alone. */
const goAlone: ReadonlySet<string> = new Set([ownTools.ask_user, ownTools.compact_history]);

const decisionTokens = 4_000;

export function conversationGraph(ports: GraphPorts, checkpointer: BaseCheckpointSaver) {
  return (
    new StateGraph(Channels)
      .addNode('planner', (state, config) => planned(state, config, ports))
      .addNode('tool', (given: unknown, config) => called(given as Given, config, ports))
      .addEdge(START, 'planner')
      .addNode('compact', (state, config) => compacted(state, config, ports))
      // Tools side by side come together before anybody decides what is next.
      .addNode('gather', async () => ({}))
      .addConditionalEdges('planner', nextCalls, ['tool', 'compact', 'planner', END])
      .addEdge('tool', 'gather')
      .addEdge('compact', 'gather')
      .addConditionalEdges('gather', nextCalls, ['tool', 'compact', 'planner', END])
      .compile({ checkpointer })
  );
}

interface Given {
  readonly call: ToolCallMessage;
}

/** Reads of one turn go together, a write goes alone, all in the order in which they were asked for. */
function nextCalls({ messages, end }: State) {
  if (end) return END;
  const open = openCalls(messages);
  const [first] = open;
  if (first === undefined) return 'planner';
  if (first.name === ownTools.compact_history) return 'compact';
  const alone = open.findIndex(({ effect }) => effect === 'write');
  const together = first.effect === 'write' ? [first] : open.slice(0, alone < 0 ? open.length : alone);
  return together.map((call) => new Send('tool', { call } satisfies Given));
}

/** In the turn that is under way. */
function decisionsIn(messages: readonly Message[]): number {
  const turn = messages.slice(messages.findLastIndex(({ kind }) => kind === 'user') + 1);
  return turn.filter(({ kind }) => kind === 'assistant').length;
}

export function openCalls(messages: readonly Message[]): readonly ToolCallMessage[] {
  const asked = messages.findLast((each) => each.kind === 'assistant');
  const answered = new Set(messages.flatMap((each) => (each.kind === 'tool' ? [each.call] : [])));
  return asked?.calls.filter(({ id }) => !answered.has(id)) ?? [];
}

async function planned(state: State, config: RunnableConfig, ports: GraphPorts) {
  const { ask, tools, dispatcher, pool, plan, role, log, onText } = ports;
  const { thread, namespace, task } = siteOf(config);
  log.step(decisionsIn(state.messages) + 1, pool.remaining());
  const listed = await tools.list();
  const shown = toolLines(listed, dispatcher);
  const due = plan === undefined ? crowded(state.messages, shown, ports) : null;
  if (due !== null) {
    const call: ToolCallMessage = {
      id: `${task}/0`,
      name: ownTools.compact_history,
      args: due,
      effect: 'write',
    };
    log.decided('', [call]);
    return checked({
      messages: [{ id: `m-${task}`, kind: 'assistant', text: '', calls: [call] }],
      end: null,
    });
  }
  const asked = plan
    ? ({ kind: 'value', value: plan(state.messages) } as const)
    : await ask(
        decide,
        {
          tools: shown,
          budget: budgetLine(pool),
          conversation: pageOf(state.messages),
          ...(role !== null && { role }),
        },
        {
          tier: 'planner',
          key: `${namespace}/${task}`,
          pool,
          maxOutputTokens: decisionTokens,
          ...(config.signal && { signal: config.signal }),
          ...(onText && { onText }),
        },
      );
  if (asked.kind === 'exhausted') {
    log.exhausted(asked.exhausted);
    return checked({ end: { kind: 'exhausted', resource: asked.exhausted.resource } });
  }
  if (asked.kind === 'failed') {
    // Retried from this checkpoint when the turn is taken up again; nothing of it is in the history.
    throw new SondeError(asked.code === 'cancelled' ? 'cancelled' : 'model_output', {
      message: asked.message,
      remedy: asked.remedy,
      details: { code: asked.code },
    });
  }
  const { text, calls } = asked.value;
  const effects = new Map(listed.map(({ name, effect }) => [name, effect]));
  const made = calls.map(
    ({ name, args }, index): ToolCallMessage => ({
      id: `${task}/${index}`,
      name,
      args: argsOf(args),
      effect: goAlone.has(name) ? 'write' : (effects.get(name) ?? 'read'),
    }),
  );
  log.decided(text, made);
  const flying = made.flatMap(({ id, name, args }): [string, string][] =>
    name === ownTools.task && dispatcher !== undefined
      ? [[id, dispatcher.subThreadOf({ thread, namespace, call: id }, shapeOf(args))]]
      : [],
  );
  return checked({
    messages: [{ id: `m-${task}`, kind: 'assistant', text, calls: made }],
    inFlight: Object.fromEntries(flying),
    end: made.length === 0 ? { kind: 'answered' } : null,
  });
}

/** The call by which the oldest turns go before the planner is asked; null where there is room for all of it. */
function crowded(messages: readonly Message[], tools: string, { autoCompaction, role }: GraphPorts) {
  if (autoCompaction === undefined) return null;
  const text = [decide.instructions, role ?? '', tools].join('\n');
  return dueCompaction(messages, { text, reply: decisionTokens }, autoCompaction);
}

/** It needs the whole conversation, which no tool gets. */
async function compacted(
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

async function called({ call }: Given, config: RunnableConfig, ports: GraphPorts) {
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
  return {
    id: `m-${call.id}`,
    kind: 'tool',
    call: call.id,
    name: call.name,
    ok: result.ok,
    // The person's own words are no material.
    text: call.name === ownTools.ask_user && result.ok ? result.text : toolText(call.name, result),
    write_ids: [...write_ids],
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
  return ports.tools.call({
    name: call.name,
    args: call.args,
    idempotencyKey: sha256(`${thread}\0${namespace}\0${call.id}`),
    ...(config.signal && { signal: config.signal }),
  });
}

/** What a node gives back is checked here, at its boundary. */
function checked(update: z.input<typeof updates>): z.infer<typeof updates> {
  const fit = updates.safeParse(update);
  if (fit.success) return fit.data;
  throw new SondeError('internal', {
    message: `A node of the conversation gives what is no state: ${fit.error.issues[0]?.path.join('.')}: ${fit.error.issues[0]?.message}`,
  });
}

/** A task's id comes from its checkpoint, so a step that is done again has the same, and one of a fork another. */
function siteOf({ configurable = {} }: RunnableConfig): { thread: string; namespace: string; task: string } {
  const path = String(configurable['checkpoint_ns'] ?? '').split('|');
  return {
    thread: String(configurable['thread_id']),
    // Without the node's own part.
    namespace: path.slice(0, -1).join('|'),
    task: String(configurable['__pregel_task_id']),
  };
}

function argsOf(text: string): ToolCallMessage['args'] {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as ToolCallMessage['args'];
  } catch {
    // The tool refuses what it can't use, and the planner reads why.
  }
  return { unreadable_arguments: text };
}

function budgetLine(pool: Pool): string {
  const left = Object.entries(pool.remaining()).filter(([, amount]) => Number.isFinite(amount));
  return left.length === 0
    ? 'no limit'
    : left.map(([name, amount]) => `${name}: ${Math.floor(amount)}`).join(', ');
}
