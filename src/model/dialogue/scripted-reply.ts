/** Converts a line of a script to the reply in a dialogue. */
import type { ModelReply } from '../model.ts';
import { readArguments } from './arguments.ts';
import type { Call, Part } from './dialogue.ts';
import type { DialogueReply, DialogueRequest } from './reply.ts';
import { parseTextReply } from './text-dialogue.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Accepts `{text, calls: [{name, input}]}`; the older forms `{text, calls: [{name, args}]}` with the arguments as text,
 * and `{reasoning, action: {name, ...fields}}`; the fields of the required tool; or a text, with or without tags.
 */
export function toScriptedReply(answer: ModelReply, request: DialogueRequest, by: string): DialogueReply {
  const scriptedFields = parseFields(parseJsonFields(answer.text), request);
  if (scriptedFields === null) return parseTextReply(answer, request, by);
  const { text: _, ...reply } = answer;
  const calls = scriptedFields.calls.map(
    (called, n): Call => ({ kind: 'call', id: `call_${request.dialogue.entries.length}_${n}`, ...called }),
  );
  const parts: Part[] = [
    ...(scriptedFields.text === '' ? [] : [{ kind: 'text' as const, text: scriptedFields.text }]),
    ...calls,
  ];
  const keptParts = answer.stop === 'length' ? parts.filter(({ kind }) => kind !== 'call') : parts;
  const stop = answer.stop === 'end' && calls.length > 0 ? 'calls' : answer.stop;
  return Object.freeze({ ...reply, kind: 'reply', by, parts: keptParts, stop });
}

interface ScriptedFields {
  readonly text: string;
  readonly calls: readonly Pick<Call, 'name' | 'input' | 'fit'>[];
}

function parseFields(fields: Fields | null, { must }: DialogueRequest): ScriptedFields | null {
  if (fields === null) return null;
  const { text, calls, reasoning, action } = fields;
  if (Array.isArray(calls)) return { text: toText(text), calls: calls.flatMap(toCalls) };
  if (isFields(action) && typeof action['name'] === 'string') {
    const { name, ...input } = action;
    return { text: toText(reasoning), calls: [{ name: String(name), input, fit: 'read' }] };
  }
  return must === undefined ? null : { text: '', calls: [{ name: must, input: fields, fit: 'read' }] };
}

function toCalls(value: unknown): readonly ScriptedFields['calls'][number][] {
  if (!isFields(value) || typeof value['name'] !== 'string') return [];
  const { name, input, args } = value;
  if (typeof args === 'string') return [{ name, ...readArguments(args) }];
  const callInput = input ?? args;
  return [{ name, input: isFields(callInput) ? callInput : {}, fit: 'read' }];
}

const toText = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJsonFields(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}
