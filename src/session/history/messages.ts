/** The messages of a conversation, and what may happen to a list of them. */
import { z } from 'zod';
import { compactForm } from './compact-form.ts';

const id = z.string().min(1);

export const toolCall = z.strictObject({
  id,
  name: z.string(),
  args: z.record(z.string(), z.json()),
  /** Writes go one after another, reads side by side. */
  effect: z.enum(['read', 'write']),
});
export type ToolCallMessage = z.infer<typeof toolCall>;

const opaque = z.record(z.string(), z.record(z.string(), z.json()));

/** A model's words, unchanged; of a call only the place: its name and arguments are in `calls`, in the same order. */
const said = z.strictObject({
  /** The model that spoke (`Reply.by`). */
  by: z.string(),
  parts: z.array(
    z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('text'), text: z.string(), opaque: opaque.optional() }),
      z.strictObject({ kind: z.literal('reasoning'), text: z.string(), opaque: opaque.optional() }),
      z.strictObject({
        kind: z.literal('call'),
        /** The id that its provider gave it. */
        id: z.string(),
        fit: z.enum(['read', 'repaired', 'unreadable']),
        opaque: opaque.optional(),
      }),
    ]),
  ),
});

/** What the program added to the words or results that are answered: sent with them from then on. */
export const added = z.strictObject({
  note: z.string(),
  /** Results that were too long for the window together: by call, how many characters of each are shown. */
  shown: z.record(z.string(), z.number()),
  /** An answer went back for what the turn does not carry: that is done once in a turn. */
  back: z.literal(true).optional(),
});
export type Added = z.infer<typeof added>;

/** Content that a search found, as its data say it: its text may be made to look like anything. */
export const foundPlace = z.object({
  path: z.string(),
  page: z.string(),
  block: z.string().nullable(),
  snippet: z.string(),
});
export type FoundPlace = z.infer<typeof foundPlace>;

export const message = z.discriminatedUnion('kind', [
  z.strictObject({ id, kind: z.literal('user'), text: z.string() }),
  z.strictObject({
    id,
    kind: z.literal('assistant'),
    text: z.string(),
    calls: z.array(toolCall),
    /** Absent where no model spoke, or an earlier version wrote it. */
    said: said.optional(),
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
    /** What was read with it, as the result says (`ToolResult.reads`). Absent where an earlier version wrote it. */
    reads: z.array(z.string()).optional(),
    /** Content that was made or changed with it. Absent likewise. */
    made: z.array(z.string()).optional(),
    /** Where the material in it is from (`ToolResult.origins`). Absent likewise. */
    origins: z.array(z.string()).optional(),
    /** The first places that a search names. Absent for anything but a search. */
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
 * More messages; or `form` in place of what is between `after` (null: the beginning) and `through` (null: the
 * end; otherwise included), and then more messages.
 */
export const messagesUpdate = z.union([z.array(message), z.strictObject({ rewind })]);
export type MessagesUpdate = readonly Message[] | { readonly rewind: z.infer<typeof rewind> };

/**
 * The reducer of a history. What is taken out is replaced in one step, and so in one checkpoint: there is no
 * history in which half of it is gone.
 */
export function withUpdate(held: readonly Message[], update: MessagesUpdate): readonly Message[] {
  if (!('rewind' in update)) return held.concat(update);
  const { after, through, form, more } = update.rewind;
  const from = after === null ? 0 : placeOf(held, after) + 1;
  const to = through === null ? held.length : placeOf(held, through) + 1;
  const there = (wanted: Message) => held.some((each) => each.id === wanted.id);
  const rest = more.filter((each) => !there(each));
  // What it names is gone, or it is there already: a step that is done again changes nothing.
  if (from > held.length || to > held.length || to < from || there(form)) return [...held, ...rest];
  return [...held.slice(0, from), form, ...held.slice(to), ...rest];
}

function placeOf(held: readonly Message[], wanted: string): number {
  const place = held.findIndex((each) => each.id === wanted);
  return place < 0 ? held.length : place;
}
