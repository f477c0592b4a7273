/**
 * A conversation as a dialogue with its planner: the prompt follows from the messages alone, each message is resent
 * unchanged, and parts that vary are at the end. Only the role of a turn is not in the history: it is sent with the
 * person's message of that turn, and dropped with the next.
 */
import { escapeLookAlikes, quoteMaterial, unquoteText } from '../../core/index.ts';
import type { Dialogue, Entry, Head, Part, Result } from '../../model/index.ts';
import { ownTools, runAlone } from '../planner/own-tools.ts';
import type { CompactForm } from './compact-form.ts';
import type { AddedText, Message, ToolCallMessage } from './messages.ts';

type Spoken = Extract<Message, { kind: 'assistant' }>;
type ToolMessage = Extract<Message, { kind: 'tool' }>;

export interface TurnExtras {
  /** The role of this turn. */
  readonly role: string | null;
  /** Added to the next message that is answered. */
  readonly added?: AddedText;
}

const noAddedText: AddedText = Object.freeze({ note: '', shown: {} });

export function dialogueOf(
  messages: readonly Message[],
  head: Head,
  { role, added = noAddedText }: TurnExtras,
): Dialogue {
  // The program made the automatic ones to gain room: their result is at the beginning.
  const told = messages.filter((each) => each.kind !== 'tool' && !isAutomatic(each));
  const results = new Map(messages.flatMap((each) => (each.kind === 'tool' ? [[each.call, each]] : [])));
  const person = told.findLastIndex(({ kind }) => kind === 'user');
  const shown: AddedText['shown'] = Object.assign(
    {},
    ...told.map((each) => (each.kind === 'assistant' ? each.added?.shown : undefined)),
    added.shown,
  );
  const entries = told.flatMap((message, at): Entry[] => {
    const next = told[at + 1];
    const after = next === undefined ? added : next.kind === 'assistant' ? next.added : undefined;
    const { note } = after ?? noAddedText;
    if (message.kind === 'assistant') return entriesOfRound(message, at, results, { note, shown });
    if (message.kind === 'compact') return [personEntry(summaryText(message.form), note)];
    if (message.kind !== 'user' && message.kind !== 'steer') return [];
    const text = escapeLookAlikes(message.text);
    return [personEntry(at === person ? withRole(text, role) : text, note)];
  });
  return { ...head, entries };
}

/** True only if no model spoke: a model can't pass for the program by naming such an argument. */
export function isAutomatic(message: Message): boolean {
  if (message.kind !== 'assistant' || message.said !== undefined) return false;
  return message.calls.some(({ name, args }) => name === ownTools.compact_history && 'automatic' in args);
}

const personEntry = (text: string, note: string): Entry => ({
  kind: 'user',
  text: note === '' ? text : `${text}\n\n${note}`,
});

function withRole(text: string, role: string | null): string {
  return role === null ? text : `${text}\n\n(How to speak, and what to mind, in this turn:)\n${role}`;
}

/** The person's words are outside of the block: they are orders, and the summary is not. */
function summaryText({ summary, insights, write_ids, dropped, said = [] }: CompactForm): string {
  const written = write_ids.length > 0 ? ` Written: ${write_ids.join(', ')}.` : '';
  const worth = insights.map(({ tier, key, text }) => `Worth keeping (${tier}, ${key}): ${text}`);
  const block = quoteMaterial([summary, ...worth].join('\n'), { source: 'summary', trust: 'derived' });
  const words = said.map((text, at) => `${at + 1}. ${escapeLookAlikes(text)}`);
  const own =
    words.length === 0
      ? []
      : [
          '(What the person said in them, word for word, oldest first:)',
          ...words,
          '(That was said earlier.)',
        ];
  return [`(Earlier. In place of ${dropped.messages} messages.${written})`, block, ...own].join('\n');
}

/** One reply, and the results of its calls. */
function entriesOfRound(
  message: Spoken,
  at: number,
  messages: ReadonlyMap<string, ToolMessage>,
  { note, shown }: AddedText,
): Entry[] {
  const parts = partsOf(message, at);
  const reply: Entry = { kind: 'reply', by: message.said?.by ?? 'earlier', parts };
  const wire = parts.flatMap((part) => (part.kind === 'call' ? [part.id] : []));
  const results = message.calls.map((call, n): Result => {
    const found = messages.get(call.id);
    return {
      call: wire[n]!,
      name: call.name,
      ok: found?.ok ?? false,
      text: found === undefined ? 'Nothing came of it.' : resultText(found, shown[call.id]),
      ...(isKept(call) && { kept: true as const }),
    };
  });
  if (results.length === 0) return [reply];
  return [reply, { kind: 'results', results, ...(note !== '' && { note }) }];
}

/** Messages of an earlier version have no parts: text first, then calls. */
function partsOf({ text, calls, said }: Spoken, at: number): readonly Part[] {
  if (said === undefined)
    return [
      ...(text === '' ? [] : [{ kind: 'text' as const, text }]),
      ...calls.map(({ name, args }, n): Part => {
        const fit = 'unreadable_arguments' in args ? 'unreadable' : 'read';
        return { kind: 'call', id: `call_${at}_${n}`, name, input: args, fit };
      }),
    ];
  let nth = 0;
  return said.parts.map(({ opaque, ...part }): Part => {
    const more = opaque === undefined ? {} : { opaque };
    if (part.kind !== 'call') return { ...part, ...more };
    const { name, args } = calls[nth++]!;
    return { ...part, name, input: args, ...more };
  });
}

/** Kept: the person's words, short results that are costly to repeat, and the ids of writes. */
function isKept({ name, effect }: ToolCallMessage): boolean {
  return effect === 'write' || name === ownTools.task || runAlone.has(name);
}

/** `characters`: the limit for quoted text; the lines before it are shown in full. */
export function resultText(message: ToolMessage, characters?: number): string {
  const { name, ok, text } = message;
  if (name === ownTools.ask_user && ok) return escapeLookAlikes(text);
  if (characters === undefined) return text;
  if (characters === 0) return 'The same as before: it stands above in full.';
  const whole = unquoteText(text);
  const facts = text.slice(0, Math.max(0, text.indexOf('<sonde-material ')));
  const block = quoteMaterial(whole.slice(0, characters).toWellFormed(), {
    source: name,
    trust: 'untrusted',
  });
  return `${facts}${block}\n(Cut to make room: ${characters} of ${whole.length} characters. Ask for fewer things at once, or for parts of them.)`;
}
