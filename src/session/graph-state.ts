/** The state of a conversation: its channels, the check of updates from nodes, and the position of a node. */
import type { RunnableConfig } from '@langchain/core/runnables';
import { Annotation } from '@langchain/langgraph';
import { z } from 'zod';
import { SondeError } from '../core/index.ts';
import { type DialogueCut, uncut } from '../model/dialogue/dialogue.ts';
import {
  applyUpdate,
  type Message,
  type MessagesUpdate,
  messagesUpdate,
  type ToolCallMessage,
} from './history/messages.ts';

/** How a turn ended. */
export const turnEnd = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('answered') }),
  z.strictObject({
    kind: z.literal('exhausted'),
    resource: z.string(),
    /** What to do about it, if there is more than a larger budget. */
    remedy: z.string().optional(),
  }),
  z.strictObject({ kind: z.literal('failed'), code: z.string(), message: z.string(), remedy: z.string() }),
  /** The turn was abandoned. */
  z.strictObject({ kind: z.literal('dropped') }),
]);
export type TurnEnd = z.infer<typeof turnEnd>;

const subThreadIds = z.record(z.string(), z.string());
type Flights = z.infer<typeof subThreadIds>;

export const Channels = Annotation.Root({
  messages: Annotation<readonly Message[], MessagesUpdate>({ reducer: applyUpdate, default: () => [] }),
  /** Ids of running sub-threads, by call. An update with an empty id removes one. */
  inFlight: Annotation<Flights, Flights>({
    reducer: (current, update) =>
      Object.fromEntries(Object.entries({ ...current, ...update }).filter(([, id]) => id !== '')),
    default: () => ({}),
  }),
  end: Annotation<TurnEnd | null>(),
  /** The parts of the conversation that were cut to fit the planner's window. */
  cut: Annotation<DialogueCut>({ reducer: (_, dialogueCut) => dialogueCut, default: () => uncut }),
});
export type State = typeof Channels.State;

const cutPosition = { shortened: z.int().min(0), dropped: z.int().min(0) };
// Names every field of a cut: the compiler rejects a missing one.
const cutSchema = z.strictObject({
  ...cutPosition,
  window: z.number().optional(),
  perGuess: z.number().optional(),
  first: z.number().optional(),
  sent: z.strictObject({ ...cutPosition, entries: z.int(), input: z.number() }).optional(),
} satisfies Readonly<Record<keyof DialogueCut, z.ZodType>>);

const updateSchema = z.strictObject({
  messages: messagesUpdate.optional(),
  inFlight: subThreadIds.optional(),
  end: turnEnd.nullable().optional(),
  cut: cutSchema.optional(),
});

/** Counts the replies of the planner in the current turn. */
export function countDecisions(messages: readonly Message[]): number {
  const turn = messages.slice(messages.findLastIndex(({ kind }) => kind === 'user') + 1);
  return turn.filter(({ kind }) => kind === 'assistant').length;
}

export function findOpenCalls(messages: readonly Message[]): readonly ToolCallMessage[] {
  const reply = messages.findLast((each) => each.kind === 'assistant');
  const answeredCalls = new Set(messages.flatMap((each) => (each.kind === 'tool' ? [each.call] : [])));
  return reply?.calls.filter(({ id }) => !answeredCalls.has(id)) ?? [];
}

/** Checks an update from a node at its boundary. */
export function checkUpdate(update: z.input<typeof updateSchema>): z.infer<typeof updateSchema> {
  const parsed = updateSchema.safeParse(update);
  if (parsed.success) return parsed.data;
  throw new SondeError('internal', {
    message: `A node of the conversation returned an invalid update: ${parsed.error.issues[0]?.path.join('.')}: ${parsed.error.issues[0]?.message}`,
  });
}

/**
 * Reads where a node runs from its configuration. The id of its task comes from the checkpoint: a repeated step has the
 * same id, a fork another.
 */
export function readSite({ configurable = {} }: RunnableConfig): {
  thread: string;
  namespace: string;
  task: string;
} {
  const path = String(configurable['checkpoint_ns'] ?? '').split('|');
  return {
    thread: String(configurable['thread_id']),
    // The path without the node's own part.
    namespace: path.slice(0, -1).join('|'),
    task: String(configurable['__pregel_task_id']),
  };
}
