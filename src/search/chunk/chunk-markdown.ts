import { type ChunkPlan, type ChunkSettings, type LinedText, planLines } from './chunk-plan.ts';

/** Cuts Markdown at its headings, and long sections by lines. */

const hash = 35;
const backtick = 96;
const tilde = 126;
const maxDepth = 6;

interface Heading {
  readonly level: number;
  readonly text: string;
}

/** The ATX heading in the line `[start, end)`, or null. */
function parseHeading(bytes: Uint8Array, start: number, end: number): Heading | null {
  if (bytes[start] !== hash) return null;
  let at = start;
  while (at < end && bytes[at] === hash) at++;
  const level = at - start;
  const separator = bytes[at];
  if (level > maxDepth || (at < end && separator !== 32 && separator !== 9 && separator !== 13)) return null;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + at, end - at)
    .toString()
    .trim();
  return { level, text: text.replace(/\s+#+$/, '') };
}

function isFence(bytes: Uint8Array, start: number, end: number): boolean {
  let at = start;
  while (at < end && at - start < 4 && bytes[at] === 32) at++;
  const mark = bytes[at];
  return (mark === backtick || mark === tilde) && bytes[at + 1] === mark && bytes[at + 2] === mark;
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (bytes[i]! > 32) return false;
  return true;
}

export function planSections(text: LinedText, settings: ChunkSettings, plan: ChunkPlan): void {
  const { bytes, length } = text;
  const headings: Heading[] = [];
  let sectionStart = 0;
  let sectionLine = 1;
  let breadcrumb = '';
  /** Whether the section has text yet. Until then headings join it: a chunk of only headings would be useless. */
  let hasText = false;
  let inFence = false;
  let line = 1;
  let i = 0;
  while (i < length) {
    let end = i;
    while (end < length && bytes[end] !== 10) end++;
    if (isFence(bytes, i, end)) inFence = !inFence;
    const heading = inFence ? null : parseHeading(bytes, i, end);
    if (heading !== null) {
      if (hasText) {
        planLines(text, sectionStart, i, sectionLine, breadcrumb, settings, plan);
        sectionStart = i;
        sectionLine = line;
        hasText = false;
      }
      while (headings.length > 0 && headings[headings.length - 1]!.level >= heading.level) headings.pop();
      headings.push(heading);
      breadcrumb = headings.map((above) => above.text).join(' ');
    } else if (!hasText) hasText = !isBlank(bytes, i, end);
    i = end + 1;
    line++;
  }
  planLines(text, sectionStart, length, sectionLine, breadcrumb, settings, plan);
}
