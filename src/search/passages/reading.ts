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
  /** Whether the definition is a test, or is inside one. */
  readonly isTest: boolean;
  /** The weighted frequency of each word of the query. */
  readonly frequencies: Float64Array;
  readonly length: number;
  /** The BM25 score, computed over the pieces of all files that were read, so that scores of files are comparable. */
  score: number;
  /** The share of the query that the piece contains, from 0 to 1; rare words count more. */
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

/** How much each word of a query distinguishes pieces of the files that were read. */
export interface WordGains {
  readonly gains: readonly number[];
  /** The sum of `gains`; positive. */
  readonly sum: number;
}

const bm25 = { k1: 1.2, b: 0.5, minLength: 60 };
/** The weight of a word in the header of a definition, relative to its body. */
const headerWeight = 1.5;
const passingWeight = 0.2;
/** Average number of terms of an identifier: itself and its parts. */
const termsPerIdentifier = 1.6;
const noMatch: readonly WordMatch[] = [];

export function readFile(
  candidate: Candidate,
  lines: readonly string[],
  words: QueryWords,
  findUnits: UnitFinder,
): Reading {
  const identifiers = lines.map(findIdentifiers);
  const matches = identifiers.map((names) => {
    const found = names.flatMap((name) => words.findMatches(name));
    return found.length === 0 ? noMatch : found;
  });
  const units = findUnits(candidate.path, lines);
  const pieces = [...findPieces(lines, units)].map(({ start, end, unit, isTest }) => {
    const frequencies = new Float64Array(words.weights.length);
    let length = 0;
    for (let line = start; line <= end; line += 1) {
      length += identifiers[line - 1]!.length * termsPerIdentifier;
      const lineMatches = matches[line - 1]!;
      if (lineMatches.length === 0) continue;
      const weight =
        line === unit?.header.start ? headerWeight : isPassingLine(lines[line - 1]!) ? passingWeight : 1;
      for (const { word, share } of lineMatches) frequencies[word]! += share * weight;
    }
    return { start, end, unit, isTest, frequencies, length, score: 0, coverage: 0 };
  });
  return { candidate, lines, units, identifiers, matches, pieces };
}

/** Sets the scores of the pieces of all readings. Returns how much each word of the query distinguishes them. */
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

/** The share of the query that the names contain, weighted by gain. Each word of the query counts once. */
export function scoreNames(names: Iterable<string>, words: QueryWords, { gains, sum }: WordGains): number {
  const bestShares = new Map<number, number>();
  for (const name of names)
    for (const { word, share } of words.findMatches(name))
      bestShares.set(word, Math.max(bestShares.get(word) ?? 0, share));
  let total = 0;
  for (const [word, share] of bestShares) total += gains[word]! * share;
  return total / sum;
}

/** A word of a query that matches an identifier. `word` is its index in the query. */
export interface WordMatch {
  readonly word: number;
  /** 1 for the word itself, less for another form of it. */
  readonly share: number;
}

const tokenOptions = { stemming: 'none' } as const;
const identifierPattern = /[A-Za-z0-9_$\u0080-\uffff]+/g;

export const findIdentifiers = (text: string): readonly string[] => text.match(identifierPattern) ?? [];

/** Matches the words of one query against identifiers. Each distinct identifier is split once. */
export class QueryWords {
  readonly weights: readonly number[];
  readonly #matchesByTerm = new Map<string, WordMatch[]>();
  readonly #matchesByName = new Map<string, readonly WordMatch[]>();

  constructor(groups: readonly TermGroup[]) {
    this.weights = groups.map(({ weight }) => weight);
    for (const [word, { terms }] of groups.entries())
      for (const { term, weight } of terms) {
        const matches = this.#matchesByTerm.get(term);
        if (matches === undefined) this.#matchesByTerm.set(term, [{ word, share: weight }]);
        else matches.push({ word, share: weight });
      }
  }

  findMatches(name: string): readonly WordMatch[] {
    let matches = this.#matchesByName.get(name);
    if (matches === undefined) {
      matches = this.#find(name);
      this.#matchesByName.set(name, matches);
    }
    return matches;
  }

  #find(name: string): readonly WordMatch[] {
    const bestShares = new Map<number, number>();
    for (const term of splitTerms(name, tokenOptions))
      for (const { word, share } of this.#matchesByTerm.get(term) ?? [])
        bestShares.set(word, Math.max(bestShares.get(word) ?? 0, share));
    return bestShares.size === 0 ? noMatch : [...bestShares].map(([word, share]) => ({ word, share }));
  }
}

/** The kind of a line, judged by its form. */
type LineClass = 'blank' | 'import' | 'comment' | 'closing' | 'other';

const importLine =
  /^\s*(?:import\b|from\s+\S+\s+import\b|use\s|#include\b|package\s|(?:const|let|var)\s.*\brequire\()/;
const commentLine = /^\s*(?:\/\/|#(?!\s*(?:include|if|endif|define))|\*|\/\*|"""|'''|--)/;
const closingLine = /^[\s\])};,]*$/;
/** A line that only imports a name, or passes it on as an argument: it does not say what the name is used for. */
const passingLine =
  /^\s*(?:import\b|from\s+\S+\s+import\b|use\s|#include\b|[\w$.]+,?$|([\w$]+)\s*[:=]\s*\1\s*,?\s*$)/;

export function classifyLine(line: string): LineClass {
  if (line.trim() === '') return 'blank';
  if (importLine.test(line)) return 'import';
  if (commentLine.test(line)) return 'comment';
  return closingLine.test(line) ? 'closing' : 'other';
}

export const isPassingLine = (line: string): boolean => passingLine.test(line);

const testName = /^(?:test|it|describe|bench)(?:_|[A-Z]|s?$)/;
const testMark =
  /^\s*(?:#\[(?:\w+::)?(?:test|bench|cfg\(test\))\b|@(?:Test|Before|After)\b|\[(?:Test|Fact|Theory)\b)/;
/** Maximum number of lines of a piece outside of all definitions. */
const maxLooseLines = 30;
/** Maximum number of lines of a definition that is one piece. Longer ones are split into parts of `partLines`. */
const maxDefinitionLines = 100;
const partLines = 50;
/** Kinds of definitions that contain others. Such a definition is a piece only up to the first definition inside it. */
const containerKinds: ReadonlySet<string> = new Set(
  'class interface module namespace trait struct enum impl object heading'.split(' '),
);

const isContainer = ({ kind }: CodeUnit): boolean => containerKinds.has(kind);

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
    const end = isContainer(unit) ? findHeadEnd(unit, units) : unit.end;
    if (end - unit.start < maxDefinitionLines) yield { start: unit.start, end, unit, isTest };
    else
      for (let start = unit.start; start <= end; start += partLines)
        yield { start, end: Math.min(end, start + partLines - 1), unit, isTest };
  }
  let looseStart = 0;
  for (let line = 1; line <= lines.length + 1; line += 1) {
    const isLoose = line <= lines.length && covered[line] === 0;
    if (isLoose && looseStart === 0) looseStart = line;
    if (looseStart === 0 || (isLoose && line - looseStart < maxLooseLines)) continue;
    if (line - looseStart > 1) yield { start: looseStart, end: line - 1, unit: null, isTest: false };
    looseStart = isLoose ? line : 0;
  }
}

function findHeadEnd(unit: CodeUnit, units: readonly CodeUnit[]): number {
  let end = unit.end;
  for (const { start, header } of units)
    if (header.start > unit.header.start && start <= end) end = start - 1;
  return Math.max(unit.header.end, end);
}
