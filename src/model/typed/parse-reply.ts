import { jsonrepair } from 'jsonrepair';

/** Longer replies are not repaired, only parsed: repairing is slower, and no real reply is that long. */
const maxRepairLength = 1_000_000;
/** How many possible starts of a JSON value are tried. */
const maxStarts = 12;

/** The thinking that some local models print before the answer; it may contain drafts of the answer. */
const thoughtsPattern = /^\s*<think>[\s\S]*?<\/think>/i;

/**
 * The JSON values that a reply may have meant, the likeliest first: the text itself, what is in code fences,
 * what is between prose, and then each of these repaired. Never throws; ends for any text.
 */
export function* replyValues(text: string): Generator<unknown, void, undefined> {
  const trimmed = text
    .replace(/^\uFEFF/, '')
    .replace(thoughtsPattern, '')
    .trim();
  if (trimmed === '') return;
  const pieces = [...new Set([trimmed, ...findFenced(trimmed), ...findEmbedded(trimmed)])];
  for (const piece of pieces) {
    const parsed = tryParse(piece, JSON.parse);
    if (parsed) yield parsed.value;
  }
  if (trimmed.length > maxRepairLength) return;
  for (const piece of pieces) {
    // The repair turns prose into a string or a list of words, so only what opens like an object or a list is tried.
    if (!/^[[{]/.test(piece)) continue;
    const repaired = tryParse(piece, (broken) => JSON.parse(jsonrepair(broken)));
    if (repaired) yield repaired.value;
  }
}

function tryParse(text: string, parse: (text: string) => unknown): { readonly value: unknown } | undefined {
  try {
    const value = parse(text);
    return isDeep(value) ? undefined : { value };
  } catch {
    // Also a stack overflow of the repairer on absurd nesting: such a text counts as no value.
    return undefined;
  }
}

/** Deeper than any answer, and shallow enough for every recursive reader after this one. */
const maxDepth = 100;

function isDeep(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
}

/** The contents of code fences, closed or cut off. */
function findFenced(text: string): readonly string[] {
  return text
    .split(/`{3,}/)
    .filter((_, index) => index % 2 === 1)
    .map((inside) => inside.replace(/^[a-z0-9]*\s/i, '').trim())
    .filter((inside) => inside !== '')
    .reverse();
}

/**
 * The candidates: from each opening bracket to its closing one, the last one first, since drafts come before answers; then
 * those that never close, and everything between the outermost brackets.
 */
function findEmbedded(text: string): readonly string[] {
  const complete: string[] = [];
  const unclosed: string[] = [];
  const opening = /[[{]/g;
  for (let tries = 0; tries < maxStarts; tries += 1) {
    const start = opening.exec(text);
    if (!start) break;
    const end = findClosing(text, start.index);
    if (end === undefined) unclosed.push(text.slice(start.index));
    else complete.push(text.slice(start.index, end));
    opening.lastIndex = end ?? start.index + 1;
  }
  const lastEnd = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']')) + 1;
  const outermost = text.slice(Math.max(0, text.search(/[[{]/)), lastEnd);
  return [...complete.reverse(), ...unclosed, ...(outermost ? [outermost] : [])];
}

function findClosing(text: string, start: number): number | undefined {
  let depth = 0;
  let isInString = false;
  for (let index = start; index < text.length; index += 1) {
    const char = text[index];
    if (char === '\\') index += 1;
    else if (char === '"') isInString = !isInString;
    else if (isInString) continue;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return undefined;
}
