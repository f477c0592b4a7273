/** The messages of a conversation, and the permitted changes to a list of them. */
import { z } from 'zod';
import { compactForm } from './compact-form.ts';

const id = z.string().min(1);

export const toolCall = z.strictObject({
  id,
  name: z.string(),
  args: z.record(z.string(), z.json()),
  /** Writes run one after another, reads in parallel. */
  effect: z.enum(['read', 'write']),
});
export type ToolCallMessage = z.infer<typeof toolCall>;

const opaqueSchema = z.record(z.string(), z.record(z.string(), z.json()));

/**
 * The parts of a model's reply, unchanged. A call has only its position here: name and arguments are in `calls`, in the
 * same order.
 */
const saidSchema = z.strictObject({
  /** The model that replied (`Reply.by`). */
  by: z.string(),
  parts: z.array(
    z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('text'), text: z.string(), opaque: opaqueSchema.optional() }),
      z.strictObject({ kind: z.literal('reasoning'), text: z.string(), opaque: opaqueSchema.optional() }),
      z.strictObject({
        kind: z.literal('call'),
        /** The id that its provider gave it. */
        id: z.string(),
        fit: z.enum(['read', 'repaired', 'unreadable']),
        opaque: opaqueSchema.optional(),
      }),
    ]),
  ),
});

/** Text that the program added to a message or to results, and sends with them from then on. */
export const added = z.strictObject({
  note: z.string(),
  /** For results that were too long for the window together: how many characters are shown, by call. */
  shown: z.record(z.string(), z.number()),
  /** An answer was returned because the turn does not support it; at most once per turn. */
  back: z.literal(true).optional(),
});
export type AddedText = z.infer<typeof added>;

/** Content found by a search, taken from its data, since its text could claim anything. */
export const foundPlace = z.object({
  path: z.string(),
  page: z.string(),
  block: z.string().nullable(),
  snippet: z.string(),
});
export type FoundPlace = z.infer<typeof foundPlace>;

export const message = z.discriminatedUnion('kind', [
  z.strictObject({ id, kind: z.literal('user'), text: z.string() }),
  /** Sent by the person during a turn: part of that turn. */
  z.strictObject({ id, kind: z.literal('steer'), text: z.string() }),
  z.strictObject({
    id,
    kind: z.literal('assistant'),
    text: z.string(),
    calls: z.array(toolCall),
    /** Absent if no model replied, or in messages of an earlier version. */
    said: saidSchema.optional(),
    added: added.optional(),
  }),
  z.strictObject({
    id,
    kind: z.literal('tool'),
    call: z.string(),
    name: z.string(),
    ok: z.boolean(),
    /** The text after the injection boundary. */
    text: z.string(),
    write_ids: z.array(z.string()),
    /** Ids of content that was read with the call (`ToolResult.reads`). Absent in messages of an earlier version. */
    reads: z.array(z.string()).optional(),
    /** Ids of content that the call made or changed. Absent in messages of an earlier version. */
    made: z.array(z.string()).optional(),
    /** Origins of the material in it (`ToolResult.origins`). Absent in messages of an earlier version. */
    origins: z.array(z.string()).optional(),
    /** The first places that a search found. Absent for other tools. */
    found: z.array(foundPlace).optional(),
  }),
  z.strictObject({ id, kind: z.literal('compact'), form: compactForm }),
]);
export type Message = z.infer<typeof message>;

const rewind = z.strictObject({
  after: z.string().nullable(),
  through: z.string().nullable(),
  form: message,
  more: z.array(message),
});

/**
 * Appends messages; or puts `form` in place of the messages between `after` (null: the beginning) and `through`
 * (null: the end; otherwise included), and then appends.
 */
export const messagesUpdate = z.union([z.array(message), z.strictObject({ rewind })]);
export type MessagesUpdate = readonly Message[] | { readonly rewind: z.infer<typeof rewind> };

/**
 * The reducer of a history. Replacing a part is one step, and so one checkpoint: no stored history is half replaced.
 */
export function applyUpdate(messages: readonly Message[], update: MessagesUpdate): readonly Message[] {
  if (!('rewind' in update)) return messages.concat(update);
  const { after, through, form, more } = update.rewind;
  const from = after === null ? 0 : findPosition(messages, after) + 1;
  const to = through === null ? messages.length : findPosition(messages, through) + 1;
  const isPresent = (wanted: Message) => messages.some((each) => each.id === wanted.id);
  const newMessages = more.filter((each) => !isPresent(each));
  // The named part is gone, or `form` is already there: a repeated step changes nothing.
  if (from > messages.length || to > messages.length || to < from || isPresent(form))
    return [...messages, ...newMessages];
  return [...messages.slice(0, from), form, ...messages.slice(to), ...newMessages];
}

function findPosition(messages: readonly Message[], messageId: string): number {
  const position = messages.findIndex((each) => each.id === messageId);
  return position < 0 ? messages.length : position;
}
