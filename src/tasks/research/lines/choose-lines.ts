/**
 * Chooses which lines of several definitions to quote if not all fit, by the worth of each line. The lines need not be
 * adjacent.
 */
import { lineWords, type Weights } from './telling-lines.ts';

/** A definition that may be quoted from. */
export interface Quotable {
  readonly lines: readonly string[];
  /** The worth of each line for the question, 0 or more; see `lineWorths`. */
  readonly worth: readonly number[];
  /** The index of the first line after its header, from 0. */
  readonly first: number;
  /** Bytes of the text quoted around the lines, such as the header. */
  readonly frame: number;
  /** Indent of its least indented line, in characters. It is removed from each line. */
  readonly indent: number;
  /** The index of a line that every quote of the definition must contain; -1 for none. */
  readonly telling: number;
}

/**
 * Minimum number of adjacent lines to quote, so that no line appears without its neighbours; and the factor for lines
 * beside quoted ones.
 */
const minRunLength = 3;
const adjacentFactor = 1.3;
/** Bytes of the mark for omitted lines, and of the indent and line end of a quoted line. */
const omissionBytes = 6;
const lineFrameBytes = 3;
/** Maximum number of characters quoted from one line. */
export const maxLineLength = 200;

/** A line that opens a bracket or a block: the content follows on the next line. */
const opensBlock = /(?:[[({:,]|=>)\s*$/;

interface OpenDefinition extends Quotable {
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

/**
 * Returns, for each definition, the indices of its lines to quote, from 0; empty if no line is worth it, or none fits.
 */
export function chooseLines(
  definitions: readonly Quotable[],
  maxBytes: number,
): readonly (readonly number[])[] {
  const openDefinitions = definitions.map(toOpenDefinition);
  let remainingBytes = maxBytes;
  for (;;) {
    const next = bestRun(openDefinitions, remainingBytes);
    if (next === null) break;
    remainingBytes -= next.cost;
    markTaken(next.definition, next.run);
    if (next.lead !== null) markTaken(next.definition, next.lead);
  }
  for (const definition of openDefinitions) remainingBytes -= closeGaps(definition, remainingBytes);
  return openDefinitions.map(({ taken, lines }) => lines.flatMap((_, n) => (taken[n] === 1 ? [n] : [])));
}

function toOpenDefinition(definition: Quotable): OpenDefinition {
  const { lines, first, indent } = definition;
  return {
    ...definition,
    bytes: lines.map(
      (line) => Buffer.byteLength(outdent(line, indent).slice(0, maxLineLength)) + lineFrameBytes,
    ),
    leads: findLeads(lines, first),
    taken: new Uint8Array(lines.length),
    opened: false,
  };
}

/** The beginning of a branch, condition or loop. */
const startsBranch =
  /^\s*(?:\}?\s*(?:else|elif|elsif|elseif|except|catch|rescue|finally|ensure|default)\b|\}?\s*(?:if|unless|case|when|while|until|for|with)\b)/;
/** Maximum number of lines of a condition that is quoted with its body. */
const maxLeadLength = 4;

/**
 * For each line, the first lines of the condition, branch or loop that contains it, by indent; null if there is none.
 */
function findLeads(lines: readonly string[], first: number): readonly (IndexSpan | null)[] {
  return lines.map((line, n) => {
    const indent = indentOf(line);
    if (indent === 0) return null;
    let start = n - 1;
    while (start >= first && (lines[start]!.trim() === '' || indentOf(lines[start]!) >= indent)) start -= 1;
    if (start < first || !startsBranch.test(lines[start]!)) return null;
    let end = start;
    while (end + 1 < n && end - start + 1 < maxLeadLength && !endsBranchStart.test(lines[end]!)) end += 1;
    return endsBranchStart.test(lines[end]!) ? { start, end } : { start, end: start };
  });
}

/** The last line of a condition before the body begins. */
const endsBranchStart = /(?:[{:)]|=>|\b(?:then|do))\s*$/;

const indentOf = (line: string): number => line.length - line.trimStart().length;
/** Removes up to `indent` characters of a line's indent. */
export const outdent = (line: string, indent: number): string => line.slice(Math.min(indent, indentOf(line)));

interface Choice {
  readonly definition: OpenDefinition;
  readonly run: IndexSpan;
  /** The condition, branch or loop around the run, if it is not quoted yet. */
  readonly lead: IndexSpan | null;
  readonly cost: number;
  readonly score: number;
}

/** The adjacent lines to quote next: those with the highest worth per byte. */
function bestRun(definitions: readonly OpenDefinition[], left: number): Choice | null {
  let best: Choice | null = null;
  for (const definition of definitions)
    for (const run of runsOf(definition)) {
      const adjacent = isAdjacent(definition, run);
      const lead = findLead(definition, run);
      const cost = runCost(definition, run, adjacent) + leadCost(definition, lead, run);
      if (cost > left) continue;
      const gain =
        runWorth(definition, run) * (adjacent ? adjacentFactor : 1) +
        (lead === null ? 0 : runWorth(definition, lead));
      if (gain > 0 && gain / cost > (best?.score ?? 0) + 1e-9)
        best = { definition, run, lead, cost, score: gain / cost };
    }
  return best;
}

function* runsOf({ lines, first, taken, opened, telling }: OpenDefinition): Generator<IndexSpan> {
  const minLength = Math.min(minRunLength, lines.length - first);
  for (let start = first; start < lines.length; start += 1)
    for (let end = start; end < Math.min(lines.length, start + minRunLength) && taken[end] === 0; end += 1)
      if (
        (opened || telling < 0 || (start <= telling && telling <= end)) &&
        (end - start + 1 >= minLength || taken[start - 1] === 1 || taken[end + 1] === 1)
      )
        yield { start, end };
}

function findLead({ leads, taken }: OpenDefinition, { start }: IndexSpan): IndexSpan | null {
  const lead = leads[start] ?? null;
  return lead === null || taken[lead.start] === 1 ? null : lead;
}

const isAdjacent = ({ taken }: OpenDefinition, { start: from, end: to }: IndexSpan): boolean =>
  taken[from - 1] === 1 || taken[to + 1] === 1;

function runCost(
  { bytes, opened, frame }: OpenDefinition,
  { start: from, end: to }: IndexSpan,
  adjacent: boolean,
): number {
  let cost = (opened ? 0 : frame) + (adjacent ? 0 : omissionBytes);
  for (let n = from; n <= to; n += 1) cost += bytes[n]!;
  return cost;
}

function leadCost({ bytes, taken }: OpenDefinition, lead: IndexSpan | null, run: IndexSpan): number {
  if (lead === null) return 0;
  const needsMark = lead.end + 1 < run.start && taken[lead.start - 1] !== 1;
  let cost = needsMark ? omissionBytes : 0;
  for (let n = lead.start; n <= lead.end; n += 1) if (taken[n] === 0) cost += bytes[n]!;
  return cost;
}

function runWorth({ worth }: OpenDefinition, { start: from, end: to }: IndexSpan): number {
  let gain = 0;
  for (let n = from; n <= to; n += 1) gain += worth[n]!;
  return gain;
}

function markTaken(definition: OpenDefinition, { start: from, end: to }: IndexSpan): void {
  definition.opened = true;
  definition.taken.fill(1, from, to + 1);
}

/**
 * Also quotes a single line between two quoted ones, since the omission mark would cost as much, and the line after one
 * that opens a bracket or a block. Returns the number of bytes added.
 */
function closeGaps({ lines, taken, bytes }: OpenDefinition, left: number): number {
  let cost = 0;
  for (let n = 1; n < lines.length; n += 1) {
    if (taken[n] === 1 || taken[n - 1] === 0 || cost + bytes[n]! > left) continue;
    if (taken[n + 1] !== 1 && !opensBlock.test(lines[n - 1]!)) continue;
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
   * 1 if the line is a condition, a branch or a loop (`decides`), is in a comment or documentation (`comment`), or
   * means nothing by itself (`empty`).
   */
  readonly decides: number;
  readonly comment: number;
  readonly empty: number;
  readonly assigns: number;
  readonly calls: number;
  /** 1 if the question asks how long or how many, and the line contains a number. */
  readonly askedNumber: number;
  /** The position of the line in the definition, from 0 to 1; the number of lines divided by 40, at most 3. */
  readonly position: number;
  readonly length: number;
  /** The share of the lines up to three away that decide. */
  readonly deciding: number;
}

const emptyLine =
  /^\s*(?:import\b|from\s+\S+\s+import\b|#include\b|use\s|package\s|[\])};,]*$|end\b|(?:\}\s*)?else:?\s*\{?$|pass\b|"""\s*$|\*\/|\/\*\*?\s*$|@\w+|#!)/;
const commentLine = /^\s*(?:\/\/|#|\*|\/\*|"""|'''|--)/;
const decidingLine =
  /^\s*(?:\}?\s*(?:else\s+)?if\b|elif\b|unless\b|case\b|when\b|match\b|switch\b|while\b|for\b|except\b|catch\b)|\?\s.*:|=>/;
const assignment = /^\s*[\w.$[\]]+\s*(?::[^=]+)?:?=[^=]/;
const callPattern = /\w\(/;
const numberPattern = /\b\d+\b/;
const numberQuestion = /how (?:long|many|much|often|large|big)|limit|size|maximum|minimum/i;

/** True for a line that means nothing by itself, such as an import, a closing bracket or a decorator. */
export const isEmptyLine = (line: string): boolean => line.trim() === '' || emptyLine.test(line);
export const isComment = (line: string): boolean => commentLine.test(line);

/** Number of neighbouring lines on either side: for `near`, and for `deciding`. */
const nearLines = 2;
const decidingLines = 3;
const docStringMark = /"""|'''/g;

/**
 * The weights of the traits, learned on 90 questions over ten repositories, like those of `unit-ranking.ts`. Other
 * traits were tried and left out, since they gained nothing or made the choice worse: whether a line returns something,
 * logs, or makes an error, also if the question asks for an error; and whether a line may hold a default or an order,
 * if the question asks for one.
 */
const learnedWeights: Readonly<Record<keyof LineTraits, number>> = {
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
 * The worth of each line: 0 if it means nothing by itself, otherwise the square root of the probability that the
 * definition answers and the line is part of the answer. The root reduces differences, so that lines of a second
 * definition are also quoted. `fit`: the relative probability that the definition answers.
 */
export function lineWorths(
  question: string,
  lines: readonly string[],
  fit: number,
  weights: Weights,
): readonly number[] {
  return lineTraits(question, lines, weights).map((traits) => {
    let sum = bias;
    for (const name of Object.keys(learnedWeights) as (keyof LineTraits)[])
      sum += traits[name] * learnedWeights[name];
    return traits.empty === 1 ? 0 : Math.sqrt(fit / (1 + Math.exp(-sum)));
  });
}

/** Weight of the words around a line, relative to the words in it, when the best line of a text is chosen. */
const nearWeight = 0.2;

/**
 * The index of the line with most of the question's words, from `first` on; -1 if no line has any. It is used for prose
 * only: in code, the lines of highest worth are short, and so are quoted anyway.
 */
export function tellingLine(
  question: string,
  lines: readonly string[],
  weights: Weights,
  { worth, first }: Pick<Quotable, 'worth' | 'first'>,
): number {
  const scores = lineTraits(question, lines, weights).map(({ own, near }) => own + nearWeight * near);
  let best = -1;
  for (let n = first; n < lines.length; n += 1)
    if (worth[n]! > 0 && scores[n]! > (best < 0 ? 0 : scores[best]!)) best = n;
  return best;
}

export function lineTraits(
  question: string,
  lines: readonly string[],
  weights: Weights,
): readonly LineTraits[] {
  const totalWeight = weights.values().reduce((sum, weight) => sum + weight, 0) || 1;
  const words = lines.map((line) => new Set(lineWords(line).filter((word) => weights.has(word))));
  const share = (from: number, to: number): number =>
    new Set(words.slice(Math.max(0, from), to + 1).flatMap((lineWordSet) => [...lineWordSet]))
      .values()
      .reduce((sum, word) => sum + weights.get(word)!, 0) / totalWeight;
  const isProseLine = proseLines(lines);
  const asksForNumber = numberQuestion.test(question);
  return lines.map((line, n) => {
    const has = (pattern: RegExp, wanted = true) => (wanted && pattern.test(line) ? 1 : 0);
    const neighbours = lines.slice(Math.max(0, n - decidingLines), n + decidingLines + 1);
    return {
      own: share(n, n),
      near: share(n - nearLines, n + nearLines),
      decides: has(decidingLine),
      comment: isProseLine[n]! ? 1 : 0,
      empty: isEmptyLine(line) ? 1 : 0,
      assigns: has(assignment),
      calls: has(callPattern),
      askedNumber: has(numberPattern, asksForNumber),
      position: n / Math.max(1, lines.length),
      length: Math.min(3, lines.length / 40),
      deciding:
        neighbours.filter((neighbour) => decidingLine.test(neighbour)).length / (2 * decidingLines + 1),
    };
  });
}

/** For each line, whether it is in a comment or in a documentation string. */
function proseLines(lines: readonly string[]): readonly boolean[] {
  let inside = false;
  return lines.map((line) => {
    const wasInside = inside;
    const marks = line.match(docStringMark)?.length ?? 0;
    if (marks === 1) inside = !inside;
    return wasInside || marks > 0 || isComment(line);
  });
}
