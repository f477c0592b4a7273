import { byteClass } from '../tokens/tokens.ts';

/** Cuts a file into chunks by lines. */

export interface ChunkSettings {
  /** Maximum number of lines in a chunk. */
  readonly lines: number;
}

/** A chunk is cut after the line that passes this many bytes. */
const maxBytes = 16_000;
/** A line longer than a chunk is cut at a separator within this many bytes after the limit, else at their end. */
const separatorReach = 256;

/** The chunks of one file, in parallel arrays that are reused for the next file. */
export class ChunkPlan {
  count = 0;
  /** Offset after the chunk's last byte; the next chunk starts there. */
  ends = new Int32Array(256);
  firstLines = new Int32Array(256);
  lastLines = new Int32Array(256);
  /** The headings above the chunk, outermost first, joined by spaces; empty if there are none. */
  readonly headings: string[] = [];

  clear(): void {
    this.count = 0;
  }

  add(end: number, firstLine: number, lastLine: number, heading: string): void {
    const k = this.count++;
    if (k === this.ends.length) {
      this.ends = grow(this.ends);
      this.firstLines = grow(this.firstLines);
      this.lastLines = grow(this.lastLines);
    }
    this.ends[k] = end;
    this.firstLines[k] = firstLine;
    this.lastLines[k] = lastLine;
    this.headings[k] = heading;
  }
}

function grow(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}

/** The content of a file, `bytes[0, length)`, and the offset after each newline. */
export interface LinedText {
  readonly bytes: Uint8Array;
  readonly length: number;
  readonly lineEnds: Int32Array;
  readonly newlines: number;
}

/** Cuts `bytes[from, to)` by lines; its first line has the number `line`. */
export function planLines(
  text: LinedText,
  from: number,
  to: number,
  line: number,
  heading: string,
  settings: ChunkSettings,
  plan: ChunkPlan,
): void {
  const { lineEnds, newlines } = text;
  let start = from;
  let firstLine = line;
  while (start < to) {
    const lastLine = firstLine + settings.lines - 1;
    const hasAllLines = lastLine <= newlines && lineEnds[lastLine - 1]! <= to;
    const end = hasAllLines ? lineEnds[lastLine - 1]! : to;
    if (end - start <= maxBytes && hasAllLines) {
      plan.add(end, firstLine, lastLine, heading);
      start = end;
      firstLine = lastLine + 1;
      continue;
    }
    const cut = cutBySize(text, start, end, firstLine);
    plan.add(cut.end, firstLine, cut.line, heading);
    start = cut.end;
    firstLine = text.bytes[cut.end - 1] === 10 ? cut.line + 1 : cut.line;
  }
}

/** Ends a chunk that has fewer lines than allowed, or too many bytes. Returns its end and its last line. */
function cutBySize(
  { bytes, lineEnds, newlines }: LinedText,
  start: number,
  end: number,
  firstLine: number,
): { end: number; line: number } {
  const limit = start + maxBytes;
  let line = firstLine;
  while (line <= newlines && lineEnds[line - 1]! <= end) {
    const lineEnd = lineEnds[line - 1]!;
    if (lineEnd > limit + 1) return { end: findSeparator(bytes, limit, end), line };
    if (lineEnd >= limit || lineEnd === end) return { end: lineEnd, line };
    line++;
  }
  return end > limit ? { end: findSeparator(bytes, limit, end), line } : { end, line };
}

function findSeparator(bytes: Uint8Array, from: number, to: number): number {
  const limit = Math.min(to, from + separatorReach);
  for (let i = from; i < limit; i++) if (byteClass[bytes[i]!] === 0) return i;
  return limit;
}
