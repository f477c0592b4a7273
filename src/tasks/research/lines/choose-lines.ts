/**
 * Chooses the lines of several definitions to quote if not all fit: by the value of each line. They need not be
 * adjacent.
 */
import { lineWords, type Weights } from './telling-lines.ts';

/** A definition that may be quoted from. */
export interface Quotable {
  readonly lines: readonly string[];
  /** For each line, how much it promises to say about the question; 0 or more. */
  readonly worth: readonly number[];
  /** The index of the first line after its header, from 0. */
  readonly first: number;
  /** Bytes of the text around its lines, such as its header. */
  readonly frame: number;
  /** How far in its least indented line stands, in characters: as much is left out of each line. */
  readonly indent: number;
  /** The index of a line that is in whatever is quoted of the definition; -1 for none. */
  readonly telling: number;
}

/**
 * Minimum number of adjacent lines to quote, so that no line appears without its neighbours. Overlapping quotes are
 * joined.
 */
const atOnce = 3;
const touchingWorth = 1.3;
/** Bytes of the mark for omitted lines, and of the indent and line end of a quoted line. */
const omission = 6;
const frameOfLine = 3;
/** Maximum number of characters quoted from one line. */
export const maxLineLength = 200;

/** A line that opens a bracket or a block: the content follows on the next line. */
const opens = /(?:[[({:,]|=>)\s*$/;

interface Open extends Quotable {
  readonly bytes: readonly number[];
  readonly leads: readonly (IndexSpan | null)[];
  readonly taken: Uint8Array;
  opened: boolean;
}

/** Part of an array: indices from 0, inclusive. */
export interface IndexSpan {
  readonly start: number;
  readonly end: number;
}

/** For each definition: the indices of its lines to quote, from 0; empty if none is worth it, or none fits. */
export function chooseLines(
  definitions: readonly Quotable[],
  maxBytes: number,
): readonly (readonly number[])[] {
  const open = definitions.map(openOf);
  let left = maxBytes;
  for (;;) {
    const next = bestRun(open, left);
    if (next === null) break;
    left -= next.cost;
    take(next.of, next.run);
    if (next.lead !== null) take(next.of, next.lead);
  }
  for (const one of open) left -= closeGaps(one, left);
  return open.map(({ taken, lines }) => lines.flatMap((_, n) => (taken[n] === 1 ? [n] : [])));
}

function openOf(definition: Quotable): Open {
  const { lines, first, indent } = definition;
  return {
    ...definition,
    bytes: lines.map(
      (line) => Buffer.byteLength(outdent(line, indent).slice(0, maxLineLength)) + frameOfLine,
    ),
    leads: leadsOf(lines, first),
    taken: new Uint8Array(lines.length),
    opened: false,
  };
}

/** A line under which others run or not. */
const leads =
  /^\s*(?:\}?\s*(?:else|elif|elsif|elseif|except|catch|rescue|finally|ensure|default)\b|\}?\s*(?:if|unless|case|when|while|until|for|with)\b)/;
/** Maximum number of lines of a condition that is quoted with what stands under it. */
const maxLead = 4;

/**
 * For each line, the condition, branch or loop that it stands under, by the indent; null where there is none, or it
 * stands right above.
 */
function leadsOf(lines: readonly string[], first: number): readonly (IndexSpan | null)[] {
  return lines.map((line, n) => {
    const indent = indentOf(line);
    if (indent === 0) return null;
    let start = n - 1;
    while (start >= first && (lines[start]!.trim() === '' || indentOf(lines[start]!) >= indent)) start -= 1;
    if (start < first || !leads.test(lines[start]!)) return null;
    let end = start;
    while (end + 1 < n && end - start + 1 < maxLead && !endsHead.test(lines[end]!)) end += 1;
    return endsHead.test(lines[end]!) ? { start, end } : { start, end: start };
  });
}

/** The last line of a condition, branch or loop before what runs under it. */
const endsHead = /(?:[{:)]|=>|\b(?:then|do))\s*$/;

const indentOf = (line: string): number => line.length - line.trimStart().length;
/** The line without so much of its indent. */
export const outdent = (line: string, indent: number): string => line.slice(Math.min(indent, indentOf(line)));

interface Choice {
  readonly of: Open;
  readonly run: IndexSpan;
  /** What the run stands under, where it is not quoted yet. */
  readonly lead: IndexSpan | null;
  readonly cost: number;
  readonly score: number;
}

/** The adjacent lines to quote next: those with the highest value for each byte. */
function bestRun(definitions: readonly Open[], left: number): Choice | null {
  let best: Choice | null = null;
  for (const of of definitions)
    for (const run of runsOf(of)) {
      const isTouching = touches(of, run);
      const lead = leadOf(of, run);
      const cost = costOf(of, run, isTouching) + leadCost(of, lead, run);
      if (cost > left) continue;
      const gain =
        gainOf(of, run) * (isTouching ? touchingWorth : 1) + (lead === null ? 0 : gainOf(of, lead));
      if (gain > 0 && gain / cost > (best?.score ?? 0) + 1e-9)
        best = { of, run, lead, cost, score: gain / cost };
    }
  return best;
}

function* runsOf({ lines, first, taken, opened, telling }: Open): Generator<IndexSpan> {
  const whole = Math.min(atOnce, lines.length - first);
  for (let from = first; from < lines.length; from += 1)
    for (let to = from; to < Math.min(lines.length, from + atOnce) && taken[to] === 0; to += 1)
      if (
        (opened || telling < 0 || (from <= telling && telling <= to)) &&
        (to - from + 1 >= whole || taken[from - 1] === 1 || taken[to + 1] === 1)
      )
        yield { start: from, end: to };
}

function leadOf({ leads, taken }: Open, { start }: IndexSpan): IndexSpan | null {
  const lead = leads[start] ?? null;
  return lead === null || taken[lead.start] === 1 ? null : lead;
}

const touches = ({ taken }: Open, { start: from, end: to }: IndexSpan): boolean =>
  taken[from - 1] === 1 || taken[to + 1] === 1;

function costOf(
  { bytes, opened, frame }: Open,
  { start: from, end: to }: IndexSpan,
  isTouching: boolean,
): number {
  let cost = (opened ? 0 : frame) + (isTouching ? 0 : omission);
  for (let n = from; n <= to; n += 1) cost += bytes[n]!;
  return cost;
}

function leadCost({ bytes, taken }: Open, lead: IndexSpan | null, run: IndexSpan): number {
  if (lead === null) return 0;
  const isApart = lead.end + 1 < run.start && taken[lead.start - 1] !== 1;
  let cost = isApart ? omission : 0;
  for (let n = lead.start; n <= lead.end; n += 1) if (taken[n] === 0) cost += bytes[n]!;
  return cost;
}

function gainOf({ worth }: Open, { start: from, end: to }: IndexSpan): number {
  let gain = 0;
  for (let n = from; n <= to; n += 1) gain += worth[n]!;
  return gain;
}

function take(of: Open, { start: from, end: to }: IndexSpan): void {
  of.opened = true;
  of.taken.fill(1, from, to + 1);
}

/**
 * Adds a line between two quoted lines, since the mark of omission would cost as much, and the line after one that
 * opens a bracket or a block. Returns the number of bytes added.
 */
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

/** The traits of a line. All but the bias are shares, or 0 or 1. */
export interface LineTraits {
  /**
   * The share of the question's words, by weight, in the line (`own`), and in the line and its neighbours up to two
   * lines away (`near`).
   */
  readonly own: number;
  readonly near: number;
  /**
   * 1 if the line is a condition, a branch or a loop (`decides`), is in a comment or documentation (`comment`), or says
   * nothing alone (`empty`).
   */
  readonly decides: number;
  readonly comment: number;
  readonly empty: number;
  readonly assigns: number;
  readonly calls: number;
  /** The question asks how long or how many, and the line contains a number. */
  readonly askedNumber: number;
  /** The position of the line in the definition, from 0 to 1; the number of lines divided by 40, at most 3. */
  readonly position: number;
  readonly length: number;
  /** The share of the lines up to three away that decide. */
  readonly deciding: number;
}

const empty =
  /^\s*(?:import\b|from\s+\S+\s+import\b|#include\b|use\s|package\s|[\])};,]*$|end\b|(?:\}\s*)?else:?\s*\{?$|pass\b|"""\s*$|\*\/|\/\*\*?\s*$|@\w+|#!)/;
const comment = /^\s*(?:\/\/|#|\*|\/\*|"""|'''|--)/;
const decides =
  /^\s*(?:\}?\s*(?:else\s+)?if\b|elif\b|unless\b|case\b|when\b|match\b|switch\b|while\b|for\b|except\b|catch\b)|\?\s.*:|=>/;
const assigns = /^\s*[\w.$[\]]+\s*(?::[^=]+)?:?=[^=]/;
const calls = /\w\(/;
const numbers = /\b\d+\b/;
const asksNumber = /how (?:long|many|much|often|large|big)|limit|size|maximum|minimum/i;

/** True for a line that says nothing alone: an import, a closing bracket, a decorator. */
export const isEmptyLine = (line: string): boolean => line.trim() === '' || empty.test(line);
export const isComment = (line: string): boolean => comment.test(line);

/** Number of neighbouring lines on either side: for `near`, and for `deciding`. */
const nearLines = 2;
const decidingLines = 3;
const docString = /"""|'''/g;

/**
 * The weights of the traits, learned on 90 questions over ten repositories, like those of `unit-ranking.ts`. Other
 * traits were tried and left out, since they gained nothing or made the choice worse: whether a line returns something,
 * logs, or makes an error, also if the question asks for an error; and whether a line may hold a default or an order,
 * if the question asks for one.
 */
const learned: Readonly<Record<keyof LineTraits, number>> = {
  own: 0.84,
  near: 1.5,
  decides: 0.28,
  comment: -0.16,
  empty: -0.48,
  assigns: 0.3,
  calls: 0.28,
  askedNumber: 0.67,
  position: 1.41,
  length: -0.98,
  deciding: 2.12,
};
const bias = -3.74;
/**
 * The worth of each line: 0 if the line says nothing alone, otherwise the square root of the probability that the
 * definition answers and the line is a part of the answer. The root makes the differences smaller, so that lines of a
 * second definition have a chance. `fit`: how likely the definition is, relative to the others.
 */
export function lineWorths(
  question: string,
  lines: readonly string[],
  fit: number,
  weights: Weights,
): readonly number[] {
  return lineTraits(question, lines, weights).map((traits) => {
    let sum = bias;
    for (const name of Object.keys(learned) as (keyof LineTraits)[]) sum += traits[name] * learned[name];
    return traits.empty === 1 ? 0 : Math.sqrt(fit / (1 + Math.exp(-sum)));
  });
}

/** How much the words around a line count against those in it, to find the line of a text that says most. */
const nearShare = 0.2;

/**
 * The index of the line of a text that has most of the question's words, from `first` on; -1 if none says anything.
 * Code needs none: there the lines of highest worth are short, and so are quoted anyway.
 */
export function tellingLine(
  question: string,
  lines: readonly string[],
  weights: Weights,
  { worth, first }: Pick<Quotable, 'worth' | 'first'>,
): number {
  const says = lineTraits(question, lines, weights).map(({ own, near }) => own + nearShare * near);
  let best = -1;
  for (let n = first; n < lines.length; n += 1)
    if (worth[n]! > 0 && says[n]! > (best < 0 ? 0 : says[best]!)) best = n;
  return best;
}

export function lineTraits(
  question: string,
  lines: readonly string[],
  weights: Weights,
): readonly LineTraits[] {
  const all = weights.values().reduce((sum, weight) => sum + weight, 0) || 1;
  const words = lines.map((line) => new Set(lineWords(line).filter((word) => weights.has(word))));
  const share = (from: number, to: number): number =>
    new Set(words.slice(Math.max(0, from), to + 1).flatMap((held) => [...held]))
      .values()
      .reduce((sum, word) => sum + weights.get(word)!, 0) / all;
  const inWords = proseLines(lines);
  const isNumberAsked = asksNumber.test(question);
  return lines.map((line, n) => {
    const has = (pattern: RegExp, wanted = true) => (wanted && pattern.test(line) ? 1 : 0);
    const neighbours = lines.slice(Math.max(0, n - decidingLines), n + decidingLines + 1);
    return {
      own: share(n, n),
      near: share(n - nearLines, n + nearLines),
      decides: has(decides),
      comment: inWords[n]! ? 1 : 0,
      empty: isEmptyLine(line) ? 1 : 0,
      assigns: has(assigns),
      calls: has(calls),
      askedNumber: has(numbers, isNumberAsked),
      position: n / Math.max(1, lines.length),
      length: Math.min(3, lines.length / 40),
      deciding: neighbours.filter((near) => decides.test(near)).length / (2 * decidingLines + 1),
    };
  });
}

/** For each line, whether it is in a comment or in a string that documents. */
function proseLines(lines: readonly string[]): readonly boolean[] {
  let inside = false;
  return lines.map((line) => {
    const was = inside;
    const marks = line.match(docString)?.length ?? 0;
    if (marks === 1) inside = !inside;
    return was || marks > 0 || isComment(line);
  });
}
