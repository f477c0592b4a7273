/**
 * Tool calls as text, for models without native tools: raw values between tags, nothing escaped. Of the formats that
 * were tried on broken output, this one was misread least. A call counts if its tag begins a line. Quoted calls (within
 * a line, after `>`, in a fence that prose follows, inside another value) and calls that were cut off do not count.
 */
import { jsonrepair } from 'jsonrepair';
import { withoutThoughts } from '../thoughts.ts';
import { readArguments } from './arguments.ts';
import type { Call, DialogueTool, Part } from './dialogue.ts';

type WrittenCall = Pick<Call, 'name' | 'input'>;
type ReadCall = Pick<Call, 'name' | 'input' | 'fit'>;

export interface TaggedReply {
  readonly text: string;
  readonly calls: readonly ReadCall[];
  /** The text ends within a call, which is not among the calls. */
  readonly cut: boolean;
}

/** Formats a reply as a model would write it. */
export function writeTags(text: string, calls: readonly WrittenCall[]): string {
  return [text, ...calls.map(writeCall)].filter((piece) => piece !== '').join('\n');
}

/** Formats the parts of a reply as text, for models without native tools and for the log. */
export function formatParts(parts: readonly Part[]): string {
  const text = parts.flatMap((part) => (part.kind === 'text' ? [part.text.trim()] : [])).join('\n');
  return writeTags(
    text,
    parts.filter((part) => part.kind === 'call'),
  );
}

function writeCall({ name, input }: WrittenCall): string {
  const args = Object.entries(input)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([field, value]) => `<arg name="${field}">${formatValue(value)}</arg>`);
  return [`<call name="${name}">`, ...args, '</call>'].join('\n');
}

const formatValue = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const callStart = /^[ \t]*<call\s+name\s*=\s*["']?([\w.-]+)["']?\s*>/;
const argStart = /<arg\s+name\s*=\s*["']?([\w.-]+)["']?\s*>/g;
const fenceLine = /^[ \t]*(?:`{3,}|~{3,})/;

/** `hasEnded`: whether the model ended its reply itself. If not, the last call counts as cut. */
export function readTags(reply: string, tools: readonly DialogueTool[], hasEnded = true): TaggedReply {
  // If no tool is offered, text that looks like a call stays text.
  if (tools.length === 0) return { text: reply.trim(), calls: [], cut: false };
  const text = withoutDrafts(reply);
  const first = findCall(text, 0);
  if (first === null) return { text: text.trim(), calls: [], cut: false };
  const calls: ReadCall[] = [];
  const prose = text.slice(0, first.at).replace(/(?:^|\n)[ \t]*(?:`{3,}|~{3,})\w*[ \t]*\n$/, '\n');
  let cut = false;
  for (let current: CallStart | null = first; current !== null; ) {
    const next = findFollowingCall(text, current.body);
    const callText = text.slice(current.body, next?.at ?? text.length);
    const call = hasEnded || next !== null ? readCall(current.name, callText, tools) : null;
    if (call === null) cut ||= next === null;
    else calls.push(call);
    current = next;
  }
  return { text: prose.trim(), calls, cut };
}

/** Removes thinking, in which a model may draft its calls. */
function withoutDrafts(reply: string): string {
  const thoughtsEnd = reply.search(/<\/think(?:ing)?>/i);
  const callIndex = reply.search(/^[ \t]*<call\s/m);
  const beginsWithThoughts = /^\s*<(?:think|thinking|thought|reasoning)>/i.test(reply.replace(/^\uFEFF/, ''));
  return beginsWithThoughts || (thoughtsEnd >= 0 && (callIndex < 0 || thoughtsEnd < callIndex))
    ? withoutThoughts(reply)
    : reply;
}

interface CallStart {
  readonly name: string;
  /** The start of its line. */
  readonly at: number;
  /** The start of its body, after the tag. */
  readonly body: number;
}

/** The first call at or after `from` that is not quoted. */
function findCall(text: string, from: number): CallStart | null {
  let fence: number | null = null;
  for (let position = from; position <= text.length; ) {
    const end = text.indexOf('\n', position);
    const line = text.slice(position, end < 0 ? text.length : end);
    const tagMatch = callStart.exec(line);
    if (tagMatch?.[1] !== undefined) {
      const start = { name: tagMatch[1], at: position, body: position + tagMatch[0].length };
      const exampleEnd = fence === null ? null : findExampleEnd(text, start);
      if (exampleEnd === null) return start;
      position = exampleEnd;
      fence = null;
      continue;
    }
    if (fenceLine.test(line)) fence = fence === null ? position : null;
    if (end < 0) return null;
    position = end + 1;
  }
  return null;
}

/**
 * A fence followed by prose is an example of a call: returns its end. Null for a fence at the end of the reply, which
 * only wraps its calls.
 */
function findExampleEnd(text: string, { body }: CallStart): number | null {
  for (const fenceEnd of text.slice(body).matchAll(/^[ \t]*(?:`{3,}|~{3,})[ \t]*$/gm)) {
    const position = body + fenceEnd.index;
    if (!/<\/call>\s*$/.test(text.slice(body, position))) continue;
    const end = position + fenceEnd[0].length;
    const following = text.slice(end).trimStart();
    return following !== '' && !fenceLine.test(following) && !callStart.test(following) ? end : null;
  }
  return null;
}

/** Finds the next call, skipping tags inside the values of this one. */
function findFollowingCall(text: string, from: number): CallStart | null {
  for (let next = findCall(text, from); next !== null; next = findCall(text, next.body)) {
    const before = text.slice(from, next.at).trimEnd();
    if (/<\/(?:call|arg)>$/.test(before) || /<\/call>\s*[^<]*$/.test(before)) return next;
  }
  return null;
}

/** Null if it was cut. */
function readCall(name: string, piece: string, tools: readonly DialogueTool[]): ReadCall | null {
  const tool = tools.find((dialogueTool) => dialogueTool.name === name);
  const end = findCallEnd(piece);
  const body = piece.slice(0, end ?? undefined);
  const args = parseArgs(body, tool);
  if (args.length === 0) return end === null ? null : { name, ...readArguments(body) };
  const areAllClosed = args.every(({ value }) => value !== null);
  const input = Object.fromEntries(
    args.flatMap(({ field, value, rest }) => {
      const parsedValue = parseArgument(value ?? rest, findField(tool, field));
      return parsedValue === null ? [] : [[field, parsedValue]];
    }),
  );
  // Without its closing tag, a call is whole only if it has all fields.
  if (end === null && !(areAllClosed && hasAllFields(tool, input))) return null;
  return { name, input, fit: areAllClosed && end !== null ? 'read' : 'repaired' };
}

/** The outermost closing tag counts. A closing tag followed by the end of a value belongs to that value. */
function findCallEnd(piece: string): number | null {
  const lastClosingTag = [...piece.matchAll(/<\/call>(?=\s|$|`)/g)].at(-1);
  return lastClosingTag === undefined || piece.includes('</arg>', lastClosingTag.index)
    ? null
    : lastClosingTag.index;
}

interface Arg {
  readonly field: string;
  /** Null if it has no end. */
  readonly value: string | null;
  /** Everything up to the next field. */
  readonly rest: string;
}

function parseArgs(body: string, tool: DialogueTool | undefined): readonly Arg[] {
  const argStarts: { readonly field: string; readonly at: number; readonly body: number }[] = [];
  for (const match of body.matchAll(argStart)) {
    const [whole, field = ''] = match;
    const isKnown = tool === undefined || Object.hasOwn(propertiesOf(tool), field);
    if (!isKnown || argStarts.some((start) => start.field === field)) continue;
    const before = body.slice(argStarts.at(-1)?.body ?? 0, match.index);
    // A field begins after the end of the field before, or at the beginning of a line if that end is missing.
    const isNext = argStarts.length === 0 ? before.trim() === '' : /<\/arg>\s*$/.test(before);
    if (isNext || (tool !== undefined && /\n[ \t]*$/.test(before) && !before.includes('</arg>')))
      argStarts.push({ field, at: match.index, body: match.index + whole.length });
  }
  return argStarts.map(({ field, body: from }, n) => {
    const rest = body.slice(from, argStarts[n + 1]?.at ?? body.length);
    const close = /<\/arg>\s*$/.exec(rest);
    return { field, value: close === null ? null : rest.slice(0, close.index), rest: rest.trimEnd() };
  });
}

type Schema = Readonly<Record<string, unknown>>;

const propertiesOf = ({ parameters }: DialogueTool): Schema => (parameters['properties'] ?? {}) as Schema;

function findField(tool: DialogueTool | undefined, field: string): Schema | undefined {
  return tool && (propertiesOf(tool)[field] as Schema | undefined);
}

function hasAllFields(tool: DialogueTool | undefined, input: Schema): boolean {
  return tool !== undefined && Object.keys(propertiesOf(tool)).every((field) => Object.hasOwn(input, field));
}

/** A string is the text itself, without the line breaks next to its tags. Any other value is JSON. */
function parseArgument(raw: string, schema: Schema | undefined): unknown {
  const text = raw.startsWith('\n') ? raw.slice(1).replace(/\n[ \t]*$/, '') : raw;
  if (schema === undefined || typesOf(schema).includes('string')) return text;
  for (const parse of [JSON.parse, (json: string) => JSON.parse(jsonrepair(json))])
    try {
      return parse(text.trim());
    } catch {
      // Otherwise the text itself: the tool's own check reports the error.
    }
  return text;
}

function typesOf({ type, anyOf, enum: values }: Schema): readonly unknown[] {
  const alternatives = (Array.isArray(anyOf) ? anyOf : []) as readonly Schema[];
  const enumTypes = Array.isArray(values) ? values.map((value) => typeof value) : [];
  return [type, ...enumTypes, ...alternatives.flatMap(typesOf)].flat();
}
