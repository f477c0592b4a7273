/**
 * A dialogue with a model that has no native tools: a command-line agent, sampling, a server that refuses
 * tools. Calls are written as tags in the text, and a reply is parsed back into the parts that native tools would give.
 */

import type { Model, ModelFailure, ModelMessage, ModelReply, ModelRequest } from '../model.ts';
import { fillPrompt, promptFile } from '../prompt-file.ts';
import { describeFields } from '../typed/json-schema.ts';
import type { Dialogue, DialogueTool, Entry, Part } from './dialogue.ts';
import { withNote } from './prompt.ts';
import type { DialogueReply, DialogueRequest } from './reply.ts';
import { formatParts, readTags } from './tags.ts';

const tagRules = promptFile(new URL('./prompts/tags.md', import.meta.url));

export function toTextMessages({ system, tools, entries }: Dialogue): readonly ModelMessage[] {
  const toolsText = fillPrompt(tagRules, { tools: tools.map(toolText).join('\n\n') });
  const messages: ModelMessage[] = [
    { role: 'system', text: tools.length === 0 ? system : `${system}\n\n${toolsText}`, cache: true },
  ];
  for (const entry of entries) {
    const role = entry.kind === 'reply' ? 'assistant' : 'user';
    const text = entryText(entry);
    const lastMessage = messages.at(-1);
    if (text === '') continue;
    // Many chat templates require the roles to alternate.
    if (lastMessage?.role === role)
      messages[messages.length - 1] = { role, text: `${lastMessage.text}\n\n${text}` };
    else messages.push({ role, text });
  }
  return messages;
}

function toolText({ name, description, parameters }: DialogueTool): string {
  const fields = describeFields(parameters).replace(/^/gm, '  ');
  return `- ${name}: ${description}${fields.trim() === '' ? '' : `\n${fields}`}`;
}

/** Text at the beginning of a line that could be mistaken for the tag of a result. */
const resultTag = /^([^\S\n]*)<(?=\/?result\b)/gim;
const escapeResultTags = (text: string): string => text.replace(resultTag, '$1\\u{3c}');

function entryText(entry: Entry): string {
  if (entry.kind === 'user') return escapeResultTags(entry.text);
  if (entry.kind === 'reply') return formatParts(entry.parts);
  const lastIndex = entry.results.length - 1;
  return entry.results
    .map(({ name, ok, text }, index) => {
      const content = escapeResultTags(index === lastIndex ? withNote(text, entry.note) : text);
      return `<result of="${name}"${ok ? '' : ' failed="true"'}>\n${content}\n</result>`;
    })
    .join('\n');
}

/** The request for a model that knows only text. */
export function toTextRequest({
  dialogue,
  must: _,
  cacheKey: __,
  ...options
}: DialogueRequest): ModelRequest {
  return { ...options, messages: toTextMessages(dialogue) };
}

/** Asks a text-only model for the next reply of a dialogue. */
export async function replyAsText(
  model: Pick<Model, 'name' | 'generate'>,
  request: DialogueRequest,
): Promise<DialogueReply | ModelFailure> {
  const answer = await model.generate(toTextRequest(request));
  return answer.kind === 'failure' ? answer : parseTextReply(answer, request, model.name);
}

export function parseTextReply(
  { text, kind: _, stop, ...reply }: ModelReply,
  { dialogue }: Pick<DialogueRequest, 'dialogue'>,
  by: string,
): DialogueReply {
  const taggedReply = readTags(text, dialogue.tools, stop !== 'length');
  const parts: Part[] = [
    ...(taggedReply.text === '' ? [] : [{ kind: 'text' as const, text: taggedReply.text }]),
    ...taggedReply.calls.map((call, n) => ({
      kind: 'call' as const,
      id: `call_${dialogue.entries.length}_${n}`,
      ...call,
    })),
  ];
  const finalStop = stop === 'end' && taggedReply.calls.length > 0 ? 'calls' : stop;
  return Object.freeze({ ...reply, kind: 'reply', by, parts, stop: taggedReply.cut ? 'length' : finalStop });
}
