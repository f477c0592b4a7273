import type { CodeUnit, UnitFinder } from '../../core/index.ts';
import type { TermGroup } from '../lexical/index.ts';
import { splitTerms } from '../tokens/tokens.ts';

/** One of the best files of a search, with the span that was found. */
export interface Candidate {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly score: number;
}

/** A definition of a file, or lines outside of all definitions, with its statistics for a query. */
export interface FilePart {
  readonly start: number;
  readonly end: number;
  readonly unit: CodeUnit | null;
  /** Whether it is a test, or is inside one. */
  readonly isTest: boolean;
  /** The weighted frequency of each word of the query. */
  readonly frequencies: Float64Array;
  readonly length: number;
  /** BM25 over the pieces of all files that were read, so scores of different files are comparable. */
  score: number;
  /** The share of the query that it contains, weighted by rarity. */
  coverage: number;
}

/** A file that was read for a query. */
export interface Reading {
  readonly candidate: Candidate;
  readonly lines: readonly string[];
  readonly units: readonly CodeUnit[];
  readonly identifiers: readonly (readonly string[])[];
  /** The matching words of each line. */
  readonly matches: readonly (readonly WordMatch[])[];
  readonly pieces: readonly FilePart[];
}

/** Statistics of a query's words over the files that were read. */
export interface WordGains {
  readonly gains: readonly number[];
  /** The sum of `gains`; positive. */
  readonly sum: number;
}

const bm25 = { k1: 1.2, b: 0.5, minLength: 60 };
/** The weight of words in a header, relative to the body. */
const headerWeight = 1.5;
const passingWeight = 0.2;
/** Average number of terms of an identifier: itself and its parts. */
const termsPerIdentifier = 1.6;
const noMatch: readonly WordMatch[] = [];

export function readFile(
  candidate: Candidate,
  lines: readonly string[],
  words: QueryWords,
  unitsOf: UnitFinder,
): Reading {
  const identifiers = lines.map(findIdentifiers);
  const matches = identifiers.map((names) => {
    const found = names.flatMap((name) => words.findMatches(name));
    return found.length === 0 ? noMatch : found;
  });
  const units = unitsOf(candidate.path, lines);
  const pieces = [...findPieces(lines, units)].map(({ start, end, unit, isTest }) => {
    const frequencies = new Float64Array(words.weights.length);
    let length = 0;
    for (let line = start; line <= end; line += 1) {
      length += identifiers[line - 1]!.length * termsPerIdentifier;
      const here = matches[line - 1]!;
      if (here.length === 0) continue;
      const weight =
        line === unit?.header.start ? headerWeight : isPassingLine(lines[line - 1]!) ? passingWeight : 1;
      for (const { word, share } of here) frequencies[word]! += share * weight;
    }
    return { start, end, unit, isTest, frequencies, length, score: 0, coverage: 0 };
  });
  return { candidate, lines, units, identifiers, matches, pieces };
}

/** Scores the pieces of all readings, and returns how much each word of the query distinguishes them. */
export function scorePieces(readings: readonly Reading[], words: QueryWords): WordGains {
  const pieces = readings.flatMap((reading) => reading.pieces);
  const pieceCounts = new Float64Array(words.weights.length);
  for (const { frequencies } of pieces)
    for (let word = 0; word < pieceCounts.length; word += 1)
      if (frequencies[word]! > 0) pieceCounts[word]! += 1;
  const gains = words.weights.map(
    (weight, word) =>
      weight * Math.log(1 + (pieces.length - pieceCounts[word]! + 0.5) / (pieceCounts[word]! + 0.5)),
  );
  const sum = gains.reduce((total, gain) => total + gain, 0) || 1;
  const average = pieces.reduce((total, { length }) => total + length, 0) / Math.max(1, pieces.length) || 1;
  const { k1, b, minLength } = bm25;
  for (const piece of pieces) {
    const norm = k1 * (1 - b + (b * Math.max(piece.length, minLength)) / average);
    let covered = 0;
    for (let word = 0; word < gains.length; word += 1) {
      const frequency = piece.frequencies[word]!;
      if (frequency === 0) continue;
      piece.score += (gains[word]! * frequency * (k1 + 1)) / (frequency + norm);
      covered += gains[word]! * Math.min(1, frequency);
    }
    piece.coverage = covered / sum;
  }
  return { gains, sum };
}

/** The share of the query in the names, weighted by gain. Each word counts once. */
export function scoreNames(names: Iterable<string>, words: QueryWords, { gains, sum }: WordGains): number {
  const best = new Map<number, number>();
  for (const name of names)
    for (const { word, share } of words.findMatches(name))
      best.set(word, Math.max(best.get(word) ?? 0, share));
  let total = 0;
  for (const [word, share] of best) total += gains[word]! * share;
  return total / sum;
}

/** A word of a query that matches an identifier. `word` is its index in the query. */
export interface WordMatch {
  readonly word: number;
  /** 1 for the word itself, less for another form of it. */
  readonly share: number;
}

const tokens = { stemming: 'none' } as const;
const identifier = /[A-Za-z0-9_$\u0080-\uffff]+/g;

export const findIdentifiers = (text: string): readonly string[] => text.match(identifier) ?? [];

/** Matches the words of one query against identifiers. Each distinct identifier is split once. */
export class QueryWords {
  readonly weights: readonly number[];
  readonly #byTerm = new Map<string, WordMatch[]>();
  readonly #known = new Map<string, readonly WordMatch[]>();

  constructor(groups: readonly TermGroup[]) {
    this.weights = groups.map(({ weight }) => weight);
    for (const [word, { terms }] of groups.entries())
      for (const { term, weight } of terms) {
        const matches = this.#byTerm.get(term);
        if (matches === undefined) this.#byTerm.set(term, [{ word, share: weight }]);
        else matches.push({ word, share: weight });
      }
  }

  findMatches(name: string): readonly WordMatch[] {
    let matches = this.#known.get(name);
    if (matches === undefined) {
      matches = this.#find(name);
      this.#known.set(name, matches);
    }
    return matches;
  }

  #find(name: string): readonly WordMatch[] {
    const best = new Map<number, number>();
    for (const term of splitTerms(name, tokens))
      for (const { word, share } of this.#byTerm.get(term) ?? [])
        best.set(word, Math.max(best.get(word) ?? 0, share));
    return best.size === 0 ? none : [...best].map(([word, share]) => ({ word, share }));
  }
}

const none: readonly WordMatch[] = [];

/** The kind of a line, judged by its form. */
type LineClass = 'blank' | 'import' | 'comment' | 'closing' | 'other';

const imports =
  /^\s*(?:import\b|from\s+\S+\s+import\b|use\s|#include\b|package\s|(?:const|let|var)\s.*\brequire\()/;
const comment = /^\s*(?:\/\/|#(?!\s*(?:include|if|endif|define))|\*|\/\*|"""|'''|--)/;
const closing = /^[\s\])};,]*$/;
/** A line that only imports a name, or passes it on as an argument: it does not say what happens with it. */
const passingLine =
  /^\s*(?:import\b|from\s+\S+\s+import\b|use\s|#include\b|[\w$.]+,?$|([\w$]+)\s*[:=]\s*\1\s*,?\s*$)/;

export function classifyLine(line: string): LineClass {
  if (line.trim() === '') return 'blank';
  if (imports.test(line)) return 'import';
  if (comment.test(line)) return 'comment';
  return closing.test(line) ? 'closing' : 'other';
}

export const isPassingLine = (line: string): boolean => passingLine.test(line);

const testName = /^(?:test|it|describe|bench)(?:_|[A-Z]|s?$)/;
const testMark =
  /^\s*(?:#\[(?:\w+::)?(?:test|bench|cfg\(test\))\b|@(?:Test|Before|After)\b|\[(?:Test|Fact|Theory)\b)/;
/** Maximum lines of a piece outside of all definitions. */
const looseLines = 30;
/** A longer definition is split into parts of `partLines`. */
const maxDefinitionLines = 100;
const partLines = 50;
/** Kinds of definitions that contain others: only their lines before the first contained one count as theirs. */
const containers: ReadonlySet<string> = new Set(
  'class interface module namespace trait struct enum impl object heading'.split(' '),
);

const isContainer = ({ kind }: CodeUnit): boolean => containers.has(kind);

/** Lines that are scored together; 1-based and inclusive. */
export interface FilePiece {
  /** Whether the definition, or one around it, is a test. */
  readonly isTest: boolean;
  readonly start: number;
  readonly end: number;
  /** Null for lines outside of all definitions. */
  readonly unit: CodeUnit | null;
}

/** Splits a file into its definitions, each without the definitions inside it, and the lines between them. */
export function* findPieces(lines: readonly string[], units: readonly CodeUnit[]): Generator<FilePiece> {
  const covered = new Uint8Array(lines.length + 2);
  const tests: CodeUnit[] = [];
  for (const unit of units) {
    covered.fill(1, unit.start, unit.end + 1);
    const isTest =
      testName.test(unit.name) ||
      lines.slice(unit.start - 1, unit.header.start).some((line) => testMark.test(line)) ||
      tests.some(({ start, end }) => start <= unit.start && unit.end <= end);
    if (isTest) tests.push(unit);
    const end = isContainer(unit) ? findOwnEnd(unit, units) : unit.end;
    if (end - unit.start < maxDefinitionLines) yield { start: unit.start, end, unit, isTest };
    else
      for (let start = unit.start; start <= end; start += partLines)
        yield { start, end: Math.min(end, start + partLines - 1), unit, isTest };
  }
  let from = 0;
  for (let line = 1; line <= lines.length + 1; line += 1) {
    const isFree = line <= lines.length && covered[line] === 0;
    if (isFree && from === 0) from = line;
    if (from === 0 || (isFree && line - from < looseLines)) continue;
    if (line - from > 1) yield { start: from, end: line - 1, unit: null, isTest: false };
    from = isFree ? line : 0;
  }
}

function findOwnEnd(unit: CodeUnit, units: readonly CodeUnit[]): number {
  let end = unit.end;
  for (const { start, header } of units)
    if (header.start > unit.header.start && start <= end) end = start - 1;
  return Math.max(unit.header.end, end);
}
