/** Which lines of several definitions are quoted where not all can be: they need not stand together. */
import { lineWords, type Weights } from './telling-lines.ts';

/** A definition that may be quoted from. */
export interface Quotable {
  readonly lines: readonly string[];
  /** Its first line that is no header, from 0. */
  readonly first: number;
  /** Bytes of what stands around its lines, its header among them. */
  readonly frame: number;
}

/**
 * Chosen on the 30 questions of evals/lines.jsonl, where each of these could be halved or doubled for one or two
 * questions' difference. A word that comes again says less each time.
 */
const saturation = 1.2;
/** What the definition after a better one counts. */
const decay = 0.75;
/** Lines that are taken at once, so that none stands without its neighbours; more where they touch others. */
const atOnce = 4;
const touchingWorth = 1.5;
/** What a line is worth, by the question's most telling words in it. */
const worth = { decides: 0.12, other: 0.05, comment: 0.02 } as const;
/** Bytes of a mark of omission, and of what makes a line of a block. */
const omission = 6;
const frameOfLine = 3;
/** Characters of a line that are quoted. */
export const maxLineLength = 200;

const empty =
  /^\s*(?:import\b|from\s+\S+\s+import\b|#include\b|use\s|package\s|[\])};,]*$|end\b|(?:\}\s*)?else:?\s*\{?$|pass\b|"""\s*$|\*\/|\/\*\*?\s*$|@\w+|#!)/;
const comment = /^\s*(?:\/\/|#|\*|\/\*|"""|'''|--)/;
const decides =
  /^\s*(?:\}?\s*(?:else\s+)?if\b|elif\b|unless\b|return\b|raise\b|throw\b|case\b|when\b|match\b|switch\b|while\b|for\b)|=>/;
/** What it opens stands in the next line. */
const opens = /(?:[[({:,]|=>)\s*$/;

/** True for a line that says nothing alone: an import, a closing bracket, a decorator. */
export const isEmptyLine = (line: string): boolean => line.trim() === '' || empty.test(line);
export const isComment = (line: string): boolean => comment.test(line);

interface Open {
  readonly lines: readonly string[];
  readonly first: number;
  readonly frame: number;
  readonly worth: number;
  readonly bytes: readonly number[];
  readonly own: readonly number[];
  readonly words: readonly (readonly string[])[];
  readonly taken: Uint8Array;
  readonly counts: Map<string, number>;
  opened: boolean;
}

interface Run {
  readonly from: number;
  readonly to: number;
}

/** By definition, best first, the numbers of its lines that are quoted, from 0; empty where none fits. */
export function chooseLines(
  definitions: readonly Quotable[],
  weights: Weights,
  maxBytes: number,
): readonly (readonly number[])[] {
  const max = Math.max(...weights.values(), 0.1);
  const open = definitions.map((one, rank) => openOf(one, decay ** rank, weights, max));
  let left = maxBytes;
  for (;;) {
    const next = bestRun(open, weights, left);
    if (next === null) break;
    left -= next.cost;
    take(next.of, next.run);
  }
  for (const one of open) left -= closeGaps(one, left);
  return open.map(({ taken, lines }) => lines.flatMap((_, n) => (taken[n] === 1 ? [n] : [])));
}

function openOf({ lines, first, frame }: Quotable, rank: number, weights: Weights, max: number): Open {
  const body = lines.slice(first).filter((line) => line.trim() !== '');
  const indent = Math.min(...body.map(indentOf), Number.MAX_SAFE_INTEGER);
  return {
    ...{ lines, first, frame, worth: rank },
    bytes: lines.map(
      (line) =>
        Buffer.byteLength(line.slice(Math.min(indent, indentOf(line))).slice(0, maxLineLength)) + frameOfLine,
    ),
    own: lines.map((line) => ownWorth(line) * max),
    words: lines.map((line) => [...new Set(lineWords(line).filter((word) => weights.has(word)))]),
    taken: new Uint8Array(lines.length),
    counts: new Map(),
    opened: false,
  };
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

function ownWorth(line: string): number {
  if (isEmptyLine(line)) return 0;
  if (isComment(line)) return worth.comment;
  return decides.test(line) ? worth.decides : worth.other;
}

interface Choice {
  readonly of: Open;
  readonly run: Run;
  readonly cost: number;
  readonly score: number;
}

/** The lines that say most for their bytes. */
function bestRun(definitions: readonly Open[], weights: Weights, left: number): Choice | null {
  let best: Choice | null = null;
  for (const of of definitions)
    for (const run of runsOf(of)) {
      const isTouching = touches(of, run);
      const cost = costOf(of, run, isTouching);
      if (cost > left) continue;
      const gain = gainOf(of, run, weights) * of.worth * (isTouching ? touchingWorth : 1);
      if (gain > 0 && gain / cost > (best?.score ?? 0) + 1e-9) best = { of, run, cost, score: gain / cost };
    }
  return best;
}

function* runsOf({ lines, first, taken }: Open): Generator<Run> {
  const whole = Math.min(atOnce, lines.length - first);
  for (let from = first; from < lines.length; from += 1)
    for (let to = from; to < Math.min(lines.length, from + atOnce) && taken[to] === 0; to += 1)
      if (to - from + 1 >= whole || taken[from - 1] === 1 || taken[to + 1] === 1) yield { from, to };
}

const touches = ({ taken }: Open, { from, to }: Run): boolean => taken[from - 1] === 1 || taken[to + 1] === 1;

function costOf({ bytes, opened, frame }: Open, { from, to }: Run, isTouching: boolean): number {
  let cost = (opened ? 0 : frame) + (isTouching ? 0 : omission);
  for (let n = from; n <= to; n += 1) cost += bytes[n]!;
  return cost;
}

function gainOf({ own, words, counts }: Open, { from, to }: Run, weights: Weights): number {
  let gain = 0;
  const here = new Map<string, number>();
  for (let n = from; n <= to; n += 1) {
    gain += own[n]!;
    for (const word of words[n]!) here.set(word, (here.get(word) ?? 0) + 1);
  }
  for (const [word, count] of here) {
    const before = counts.get(word) ?? 0;
    gain += weights.get(word)! * (saturate(before + count) - saturate(before));
  }
  return gain;
}

const saturate = (count: number): number => (count * (saturation + 1)) / (count + saturation);

function take(of: Open, { from, to }: Run): void {
  of.opened = true;
  for (let n = from; n <= to; n += 1) {
    of.taken[n] = 1;
    for (const word of of.words[n]!) of.counts.set(word, (of.counts.get(word) ?? 0) + 1);
  }
}

/** A single line left out costs as much as its mark; and a line that opens something is no end. Gives the bytes. */
function closeGaps({ lines, taken, bytes }: Open, left: number): number {
  let cost = 0;
  for (let n = 1; n < lines.length; n += 1) {
    if (taken[n] === 1 || taken[n - 1] === 0 || cost + bytes[n]! > left) continue;
    if (taken[n + 1] !== 1 && !opens.test(lines[n - 1]!)) continue;
    taken[n] = 1;
    cost += bytes[n]!;
  }
  return cost;
}
