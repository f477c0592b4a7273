/** Converts a dialogue to the prompt of the AI SDK's provider interface. */
import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import { isStrict } from '../typed/json-schema.ts';
import type { Dialogue, DialogueTool, Entry, Opaque, Part, Reply } from './dialogue.ts';

export interface Rendering {
  /** The model that is asked: replies of other models keep their words and calls, and lose their opaque parts. */
  readonly by: string;
  /** Options that mark the end of a part that is to be cached. */
  readonly mark?: SharedV4ProviderOptions;
  /** Whether tools whose schema allows it are marked as strict. */
  readonly strict?: boolean;
  /** False: no reasoning is sent back, not even its own. */
  readonly reasoning?: boolean;
}

/**
 * Cache marks are set on the last tool, on the system text, and on our last two messages. The second last message is
 * where the previous request ended: with a mark there, the cache is found however many calls a step made.
 */
const maxMarked = 2;

export function toPrompt(dialogue: Dialogue, rendering: Rendering): LanguageModelV4Prompt {
  const { entries, system } = dialogue;
  const ownIndexes = entries.flatMap(({ kind }, index) => (kind === 'reply' ? [] : [index]));
  const markedIndexes = new Set(ownIndexes.slice(-maxMarked));
  return [
    { role: 'system', content: system, ...toProviderOptions(rendering.mark) },
    ...entries.flatMap((entry, index) =>
      toMessages(entry, markedIndexes.has(index) ? rendering : { ...rendering, mark: undefined }),
    ),
  ];
}

export function toTools(
  tools: readonly DialogueTool[],
  { mark, strict }: Rendering,
): LanguageModelV4FunctionTool[] {
  return tools.map((tool, index) => ({
    type: 'function',
    name: tool.name,
    description: tool.description,
    inputSchema: tool.parameters as LanguageModelV4FunctionTool['inputSchema'],
    ...(strict === true && { strict: isStrict(tool.parameters) }),
    ...(index === tools.length - 1 && toProviderOptions(mark)),
  }));
}

/**
 * Whether another model than `by` has replied since the last message of a person. Those replies are one turn, and a
 * provider wants the reasoning of all of them or of none. The same model with and without thinking counts as two.
 */
export function isTakenOver({ entries }: Dialogue, by: string): boolean {
  const turn = entries.slice(entries.findLastIndex(({ kind }) => kind === 'user') + 1);
  return turn.some((entry) => entry.kind === 'reply' && entry.by !== by);
}

type MarkedRendering = Omit<Rendering, 'mark'> & { readonly mark?: SharedV4ProviderOptions | undefined };

function toMessages(entry: Entry, rendering: MarkedRendering): LanguageModelV4Message[] {
  if (entry.kind === 'reply') return replyMessage(entry, rendering);
  if (entry.kind === 'user')
    return [
      { role: 'user', content: [{ type: 'text', text: entry.text, ...toProviderOptions(rendering.mark) }] },
    ];
  const lastIndex = entry.results.length - 1;
  return [
    {
      role: 'tool',
      content: entry.results.map(({ call, name, ok, text }, index) => ({
        type: 'tool-result',
        toolCallId: call,
        toolName: name,
        output: {
          type: ok ? 'text' : 'error-text',
          value: index === lastIndex ? withNote(text, entry.note) : text,
        },
        ...(index === lastIndex && toProviderOptions(rendering.mark)),
      })),
    },
  ];
}

/** Empty if nothing of the reply is left, since providers refuse a message without content. */
function replyMessage(reply: Reply, { by, reasoning }: MarkedRendering): LanguageModelV4Message[] {
  const isOwn = reply.by === by;
  const keptParts = reply.parts.filter(
    (part) =>
      (part.kind !== 'text' || part.text.trim() !== '') &&
      (part.kind !== 'reasoning' || (isOwn && reasoning !== false)),
  );
  // Providers refuse reasoning that no text or call follows.
  const parts = keptParts.slice(0, keptParts.findLastIndex(({ kind }) => kind !== 'reasoning') + 1);
  if (parts.length === 0) return [];
  return [{ role: 'assistant', content: parts.map((part) => toContent(part, isOwn)) }];
}

type Content = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];

function toContent(part: Part, isOwn: boolean): Content {
  const opaqueOptions = isOwn && part.opaque !== undefined ? toProviderOptions(part.opaque) : {};
  if (part.kind === 'call')
    return {
      type: 'tool-call',
      toolCallId: part.id,
      toolName: part.name,
      input: part.input,
      ...opaqueOptions,
    };
  return { type: part.kind, text: part.text, ...opaqueOptions };
}

/** Adds a note of Sonde to the result of a tool. */
export function withNote(text: string, note: string | undefined): string {
  return note === undefined ? text : `${text}\n\n${note}`;
}

function toProviderOptions(options: SharedV4ProviderOptions | Opaque | undefined) {
  return options === undefined ? {} : { providerOptions: options as SharedV4ProviderOptions };
}
