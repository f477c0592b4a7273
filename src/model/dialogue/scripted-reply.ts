/** A line of a script as the reply in a dialogue. */
import type { ModelReply } from '../model.ts';
import { readArguments } from './arguments.ts';
import type { Call, Part } from './dialogue.ts';
import { readInText } from './in-text.ts';
import type { DialogueReply, DialogueRequest } from './reply.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * `{text, calls: [{name, input}]}`; `{text, calls: [{name, args}]}` with the arguments as text, and
 * `{reasoning, action: {name, ...fields}}`, as scripts were written before there were dialogues; the fields of the tool that is demanded; or a text, with or without tags.
 */
export function toScriptedReply(answer: ModelReply, request: DialogueRequest, by: string): DialogueReply {
  const scriptedFields = parseSaid(fieldsIn(answer.text), request);
  if (scriptedFields === null) return readInText(answer, request, by);
  const { text: _, ...reply } = answer;
  const calls = scriptedFields.calls.map(
    (called, n): Call => ({ kind: 'call', id: `call_${request.dialogue.entries.length}_${n}`, ...called }),
  );
  const parts: Part[] = [
    ...(scriptedFields.text === '' ? [] : [{ kind: 'text' as const, text: scriptedFields.text }]),
    ...calls,
  ];
  const cut = answer.stop === 'length' ? parts.filter(({ kind }) => kind !== 'call') : parts;
  const stop = answer.stop === 'end' && calls.length > 0 ? 'calls' : answer.stop;
  return Object.freeze({ ...reply, kind: 'reply', by, parts: cut, stop });
}

interface ScriptedFields {
  readonly text: string;
  readonly calls: readonly Pick<Call, 'name' | 'input' | 'fit'>[];
}

function parseSaid(fields: Fields | null, { must }: DialogueRequest): ScriptedFields | null {
  if (fields === null) return null;
  const { text, calls, reasoning, action } = fields;
  if (Array.isArray(calls)) return { text: asText(text), calls: calls.flatMap(asCall) };
  if (isFields(action) && typeof action['name'] === 'string') {
    const { name, ...input } = action;
    return { text: asText(reasoning), calls: [{ name: String(name), input, fit: 'read' }] };
  }
  return must === undefined ? null : { text: '', calls: [{ name: must, input: fields, fit: 'read' }] };
}

function asCall(value: unknown): readonly ScriptedFields['calls'][number][] {
  if (!isFields(value) || typeof value['name'] !== 'string') return [];
  const { name, input, args } = value;
  if (typeof args === 'string') return [{ name, ...readArguments(args) }];
  const given = input ?? args;
  return [{ name, input: isFields(given) ? given : {}, fit: 'read' }];
}

const asText = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fieldsIn(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}
