/** A request body as it was sent, taken apart into the blocks that a cache tells apart. */
import type { Block } from './cache.ts';

export type Wire = 'anthropic' | 'openai';

export interface Sent {
  readonly model: string;
  readonly blocks: readonly Block[];
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of three formats, as other programs wrote them
type Json = Readonly<Record<string, any>>;

export function sentOver(wire: Wire, body: Json): Sent {
  const take = wire === 'anthropic' ? anthropicBlocks : openAiBlocks;
  return { model: String(body['model']), blocks: take(body) };
}

/** Tools, form of the reply and instructions: what each call of a kind carries before anything was said. */
export const headOf = ({ blocks }: Sent): readonly Block[] =>
  blocks.filter(({ level }) => level !== 'messages');

export const messagesOf = ({ blocks }: Sent): readonly Block[] =>
  blocks.filter(({ level }) => level === 'messages');

function anthropicBlocks(body: Json): readonly Block[] {
  const block = (level: Block['level'], part: Json, salt: unknown = null): Block => {
    const { cache_control: control, ...rest } = part;
    if (control?.ttl !== undefined && control.ttl !== '5m')
      throw new Error(`no rule for a life of ${control.ttl}`);
    const key = JSON.stringify([salt, rest]);
    return {
      level,
      key,
      text: `${textOf(level === 'tools' ? toolText(rest) : rest)}\n`,
      mark: control !== undefined,
    };
  };
  // What is no text of the messages, but makes other ones of them where it changes.
  const { tool_choice: choice, thinking = null } = body;
  const salt = [choice === undefined || choice.type === 'auto' ? null : choice, thinking];
  const messages = asArray(body['messages']).flatMap(({ role, content }) =>
    partsOf(content).map((part) => block('messages', part, [role, salt])),
  );
  const blocks = [
    ...asArray(body['tools']).map((tool) => block('tools', tool)),
    ...schemaBlock(body['output_config']?.format ?? body['output_format']),
    ...partsOf(body['system'] ?? []).map((part) => block('system', part)),
    ...messages,
  ];
  if (body['cache_control'] === undefined) return blocks;
  return blocks.map((one, index) => (index === blocks.length - 1 ? { ...one, mark: true } : one));
}

/** Chat Completions and Responses. */
function openAiBlocks(body: Json): readonly Block[] {
  const block = (level: Block['level'], text: string): Block => ({ level, text: `${text}\n`, key: text });
  const items = asArray(body['messages'] ?? body['input']);
  return [
    ...asArray(body['tools']).map((tool) => block('tools', toolText(tool['function'] ?? tool))),
    ...schemaBlock(body['response_format'] ?? body['text']?.format),
    ...(body['instructions'] === undefined ? [] : [block('system', body['instructions'])]),
    ...items.map((item) => {
      const isSystem = item['role'] === 'system' || item['role'] === 'developer';
      return block(isSystem ? 'system' : 'messages', itemText(item));
    }),
  ];
}

/** The form of a reply stands before the system text, and is paid like it. */
function schemaBlock(format: Json | undefined): readonly Block[] {
  const schema = format?.['schema'] ?? format?.['json_schema']?.schema;
  if (schema === undefined) return [];
  const text = JSON.stringify(schema);
  return [{ level: 'system', text: `${text}\n`, key: text }];
}

const toolText = ({ name, description, input_schema: schema, parameters }: Json): string =>
  `${name}: ${description}\n${JSON.stringify(schema ?? parameters)}`;

function itemText(item: Json): string {
  const said = [item['role'] ?? item['type'], item['reasoning_content'], textOf(item)];
  const calls = asArray(item['tool_calls']).map(({ function: call }) => `${call.name} ${call.arguments}`);
  return [...said, ...calls].filter((text) => text !== undefined && text !== '').join('\n');
}

/** What of a part is read by the model: not its ids, not its signature. */
function textOf(part: Json | string): string {
  if (typeof part === 'string') return part;
  if (part['type'] === 'tool_use') return `${part['name']} ${JSON.stringify(part['input'])}`;
  if (part['type'] === 'function_call') return `${part['name']} ${part['arguments']}`;
  const text = part['text'] ?? part['thinking'] ?? part['output'];
  if (typeof text === 'string') return text;
  return partsOf(part['content'] ?? part['summary'] ?? [])
    .map(textOf)
    .join('\n');
}

const partsOf = (content: unknown): readonly Json[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : asArray(content);

const asArray = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : []);
