/**
 * Converts a conversation to a dialogue with its planner. The prompt depends on the messages alone, each message is
 * resent unchanged, and parts that vary are at the end. Only the role of a turn is not in the history: it is sent with
 * the person's message of that turn, and dropped with the next.
 */
import { escapeLookAlikes, quoteMaterial, unquoteText } from '../../core/index.ts';
import type { Dialogue, Entry, Head, Part, Result } from '../../model/index.ts';
import { exclusiveTools, ownTools } from '../planner/own-tools.ts';
import type { CompactForm } from './compact-form.ts';
import type { AddedText, Message, ToolCallMessage } from './messages.ts';

type AssistantMessage = Extract<Message, { kind: 'assistant' }>;
type ToolMessage = Extract<Message, { kind: 'tool' }>;

export interface TurnExtras {
  /** The role of this turn. */
  readonly role: string | null;
  /** Added to the message that the planner answers next. */
  readonly added?: AddedText;
}

const noAddedText: AddedText = Object.freeze({ note: '', shown: {} });

export function toDialogue(
  messages: readonly Message[],
  head: Head,
  { role, added = noAddedText }: TurnExtras,
): Dialogue {
  // Leaves out automatic compactions and their results: the summary is at the beginning.
  const visible = messages.filter((each) => each.kind !== 'tool' && !isAutomatic(each));
  const results = new Map(messages.flatMap((each) => (each.kind === 'tool' ? [[each.call, each]] : [])));
  const lastPersonIndex = visible.findLastIndex(({ kind }) => kind === 'user');
  const shown: AddedText['shown'] = Object.assign(
    {},
    ...visible.map((each) => (each.kind === 'assistant' ? each.added?.shown : undefined)),
    added.shown,
  );
  const entries = visible.flatMap((message, index): Entry[] => {
    const next = visible[index + 1];
    const nextAdded = next === undefined ? added : next.kind === 'assistant' ? next.added : undefined;
    const { note } = nextAdded ?? noAddedText;
    if (message.kind === 'assistant') return toRoundEntries(message, index, results, { note, shown });
    if (message.kind === 'compact') return [toPersonEntry(formatSummary(message.form), note)];
    if (message.kind !== 'user' && message.kind !== 'steer') return [];
    const text = escapeLookAlikes(message.text);
    return [toPersonEntry(index === lastPersonIndex ? addRole(text, role) : text, note)];
  });
  return { ...head, entries };
}

/**
 * Whether the program itself made the call. False if a model replied, so that a model can't pose as the program by
 * naming such an argument.
 */
export function isAutomatic(message: Message): boolean {
  if (message.kind !== 'assistant' || message.said !== undefined) return false;
  return message.calls.some(({ name, args }) => name === ownTools.compact_history && 'automatic' in args);
}

const toPersonEntry = (text: string, note: string): Entry => ({
  kind: 'user',
  text: note === '' ? text : `${text}\n\n${note}`,
});

function addRole(text: string, role: string | null): string {
  return role === null ? text : `${text}\n\n(How to speak, and what to mind, in this turn:)\n${role}`;
}

/** The person's words are outside of the block: they are orders, and the summary is not. */
function formatSummary({ summary, insights, write_ids, dropped, said = [] }: CompactForm): string {
  const writtenNote = write_ids.length > 0 ? ` Written: ${write_ids.join(', ')}.` : '';
  const facts = insights.map(({ tier, key, text }) => `Worth keeping (${tier}, ${key}): ${text}`);
  const block = quoteMaterial([summary, ...facts].join('\n'), { source: 'summary', trust: 'derived' });
  const personWords = said.map((text, index) => `${index + 1}. ${escapeLookAlikes(text)}`);
  const personLines =
    personWords.length === 0
      ? []
      : [
          '(What the person said in them, word for word, oldest first:)',
          ...personWords,
          '(That was said earlier.)',
        ];
  return [`(Earlier. In place of ${dropped.messages} messages.${writtenNote})`, block, ...personLines].join(
    '\n',
  );
}

/** One reply, and the results of its calls. */
function toRoundEntries(
  message: AssistantMessage,
  index: number,
  resultsByCall: ReadonlyMap<string, ToolMessage>,
  { note, shown }: AddedText,
): Entry[] {
  const parts = toParts(message, index);
  const reply: Entry = { kind: 'reply', by: message.said?.by ?? 'earlier', parts };
  const callIds = parts.flatMap((part) => (part.kind === 'call' ? [part.id] : []));
  const results = message.calls.map((call, n): Result => {
    const toolMessage = resultsByCall.get(call.id);
    return {
      call: callIds[n]!,
      name: call.name,
      ok: toolMessage?.ok ?? false,
      text: toolMessage === undefined ? 'Nothing came of it.' : formatResult(toolMessage, shown[call.id]),
      ...(isKept(call) && { kept: true as const }),
    };
  });
  if (results.length === 0) return [reply];
  return [reply, { kind: 'results', results, ...(note !== '' && { note }) }];
}

/** Messages of an earlier version have no parts: text first, then calls. */
function toParts({ text, calls, said }: AssistantMessage, index: number): readonly Part[] {
  if (said === undefined)
    return [
      ...(text === '' ? [] : [{ kind: 'text' as const, text }]),
      ...calls.map(({ name, args }, n): Part => {
        const fit = 'unreadable_arguments' in args ? 'unreadable' : 'read';
        return { kind: 'call', id: `call_${index}_${n}`, name, input: args, fit };
      }),
    ];
  let nth = 0;
  return said.parts.map(({ opaque, ...part }): Part => {
    const opaqueField = opaque === undefined ? {} : { opaque };
    if (part.kind !== 'call') return { ...part, ...opaqueField };
    const { name, args } = calls[nth++]!;
    return { ...part, name, input: args, ...opaqueField };
  });
}

/**
 * Whether a result is never shortened: the person's words, short results that are costly to repeat, and the ids of
 * writes.
 */
function isKept({ name, effect }: ToolCallMessage): boolean {
  return effect === 'write' || name === ownTools.task || exclusiveTools.has(name);
}

/** `characters`: the limit for quoted text; the lines before it are shown in full. */
export function formatResult(message: ToolMessage, characters?: number): string {
  const { name, ok, text } = message;
  if (name === ownTools.ask_user && ok) return escapeLookAlikes(text);
  if (characters === undefined) return text;
  if (characters === 0) return 'The same as before: it stands above in full.';
  const quotedText = unquoteText(text);
  const facts = text.slice(0, Math.max(0, text.indexOf('<sonde-material ')));
  const block = quoteMaterial(quotedText.slice(0, characters).toWellFormed(), {
    source: name,
    trust: 'untrusted',
  });
  return `${facts}${block}\n(Cut to make room: ${characters} of ${quotedText.length} characters. Ask for fewer things at once, or for parts of them.)`;
}
