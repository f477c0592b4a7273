/** Converts a dialogue to the form in which the size of requests is measured. */
import type { ModelRequest } from '../model.ts';
import { countTokens, estimateTokens } from '../tokens/tokens.ts';
import type { Dialogue, Entry, Part } from './dialogue.ts';
import { withNote } from './prompt.ts';

/** The whole dialogue as messages; its tools count as a schema. */
export function measure({ system, tools, entries }: Dialogue): Pick<ModelRequest, 'messages' | 'schema'> {
  return {
    messages: [{ role: 'system', text: system }, ...messagesOf(entries)],
    ...(tools.length > 0 && { schema: { name: 'tools', json: { tools } } }),
  };
}

/** The messages of the entries after the first `sent`. */
export function measureSince({ entries }: Dialogue, sent: number): Pick<ModelRequest, 'messages'> {
  return { messages: messagesOf(entries.slice(sent)) };
}

const messagesOf = (entries: readonly Entry[]) =>
  entries.flatMap((entry) => textsOf(entry).map((text) => ({ role: roles[entry.kind], text })));

const roles = { user: 'user', reply: 'assistant', results: 'user' } as const;

function textsOf(entry: Entry): readonly string[] {
  if (entry.kind === 'user') return [entry.text];
  if (entry.kind === 'reply') return entry.parts.map(partText);
  const lastIndex = entry.results.length - 1;
  return entry.results.map(
    ({ text, name }, index) => `${name} ${index === lastIndex ? withNote(text, entry.note) : text}`,
  );
}

function partText(part: Part): string {
  if (part.kind === 'call') return `${part.name} ${JSON.stringify(part.input)}`;
  return part.opaque === undefined ? part.text : `${part.text}${JSON.stringify(part.opaque)}`;
}

/** A quick guess, for fitting a dialogue into a window. Tokens. */
export function estimateDialogue(dialogue: Dialogue): number {
  return sumTokens(estimateTokens, dialogue);
}

/** Counts tokens with Sonde's own tokenizer: slower than the estimate, and close to the truth. */
export function countDialogue(dialogue: Dialogue): number {
  return sumTokens(countTokens, dialogue);
}

/** Tokens around a message. */
const tokensPerMessage = 8;

function sumTokens(count: (text: string) => number, dialogue: Dialogue): number {
  const { messages, schema } = measure(dialogue);
  const tools = schema === undefined ? 0 : count(JSON.stringify(schema.json));
  return messages.reduce((sum, { text }) => sum + tokensPerMessage + count(text), tools);
}
