import { byteClass } from './tokens.ts';

/** How a file is cut by lines, and what a cut file is told as. */

export interface ChunkSettings {
  /** Most lines of a chunk. */
  readonly lines: number;
}

/** A chunk is cut after the line that passes this many bytes. */
const mostBytes = 16_000;
/** A single line is cut in the middle where it is longer than a chunk may be, at a separator this near. */
const separatorReach = 256;

/** The cuts of one file, in parallel arrays that are used again for the next. */
export class ChunkPlan {
  count = 0;
  /** Offset after the chunk's last byte; the next one starts there. */
  ends = new Int32Array(256);
  firstLines = new Int32Array(256);
  lastLines = new Int32Array(256);
  /** The headings above the chunk, outermost first, joined by spaces; empty where there are none. */
  readonly headings: string[] = [];

  clear(): void {
    this.count = 0;
  }

  add(end: number, firstLine: number, lastLine: number, heading: string): void {
    const k = this.count++;
    if (k === this.ends.length) {
      this.ends = grown(this.ends);
      this.firstLines = grown(this.firstLines);
      this.lastLines = grown(this.lastLines);
    }
    this.ends[k] = end;
    this.firstLines[k] = firstLine;
    this.lastLines[k] = lastLine;
    this.headings[k] = heading;
  }
}

function grown(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}

/** Cuts `bytes[from, to)`, whose first line is number `line`, by lines alone. */
export function planLines(
  bytes: Uint8Array,
  from: number,
  to: number,
  line: number,
  heading: string,
  settings: ChunkSettings,
  plan: ChunkPlan,
): void {
  const mostLines = settings.lines;
  let start = from;
  let firstLine = line;
  let current = line;
  let i = from;
  while (i < to) {
    const limit = Math.min(to, start + mostBytes);
    while (i < limit && bytes[i] !== 10) i++;
    if (i === to) break;
    if (bytes[i] === 10) {
      i++;
      current++;
      if (current - firstLine < mostLines && i - start < mostBytes) continue;
      plan.add(i, firstLine, current - 1, heading);
      firstLine = current;
    } else {
      i = separatorFrom(bytes, i, to);
      plan.add(i, firstLine, current, heading);
      firstLine = current;
    }
    start = i;
  }
  if (i > start) plan.add(i, firstLine, bytes[i - 1] === 10 ? current - 1 : current, heading);
}

function separatorFrom(bytes: Uint8Array, from: number, to: number): number {
  const limit = Math.min(to, from + separatorReach);
  for (let i = from; i < limit; i++) if (byteClass[bytes[i]!] === 0) return i;
  return limit;
}
