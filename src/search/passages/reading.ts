import type { CodeUnit, UnitFinder } from '../../core/index.ts';
import { findPieces } from '../ranking/pieces.ts';
import { isHandedOn } from './line-class.ts';
import { identifiersOf, type QueryWords, type WordMatch } from './query-words.ts';

/** A file among the best of a search, with the span that it was found by. */
export interface Candidate {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly score: number;
}

/** A definition of a file, or lines outside of all, and what of the query is in it. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  readonly unit: CodeUnit | null;
  /** By word of the query. */
  readonly frequencies: Float64Array;
  readonly length: number;
  /** BM25 over the pieces of all files that were read; comparable between them. */
  score: number;
  /** The share of the query's rare words that it holds. */
  coverage: number;
}

/** One file as it was read for one query. */
export interface Reading {
  readonly candidate: Candidate;
  readonly lines: readonly string[];
  readonly units: readonly CodeUnit[];
  readonly identifiers: readonly (readonly string[])[];
  /** By line. */
  readonly matches: readonly (readonly WordMatch[])[];
  readonly pieces: readonly Piece[];
}

/** Statistics of a query's words over the files that were read. */
export interface WordGains {
  readonly gains: readonly number[];
  /** Positive. */
  readonly sum: number;
}

const bm25 = { k1: 1.2, b: 0.5, minLength: 60 };
/** The weight of words in a header, against those of the body. */
const headerWorth = 1.5;
const handedOn = 0.2;
/** Terms that an identifier gives on average: itself and its parts. */
const termsOfIdentifier = 1.6;
const noMatch: readonly WordMatch[] = [];

export function readFile(
  candidate: Candidate,
  lines: readonly string[],
  words: QueryWords,
  unitsOf: UnitFinder,
): Reading {
  const identifiers = lines.map(identifiersOf);
  const matches = identifiers.map((names) => {
    const found = names.flatMap((name) => words.of(name));
    return found.length === 0 ? noMatch : found;
  });
  const units = unitsOf(candidate.path, lines);
  const pieces = [...findPieces(lines, units)].map(({ start, end, unit }) => {
    const frequencies = new Float64Array(words.weights.length);
    let length = 0;
    for (let line = start; line <= end; line += 1) {
      length += identifiers[line - 1]!.length * termsOfIdentifier;
      const here = matches[line - 1]!;
      if (here.length === 0) continue;
      const worth = line === unit?.header.start ? headerWorth : isHandedOn(lines[line - 1]!) ? handedOn : 1;
      for (const { word, share } of here) frequencies[word]! += share * worth;
    }
    return { start, end, unit, frequencies, length, score: 0, coverage: 0 };
  });
  return { candidate, lines, units, identifiers, matches, pieces };
}

/** Scores the pieces of all readings against each other, and tells what each word of the query says over them. */
export function scorePieces(readings: readonly Reading[], words: QueryWords): WordGains {
  const pieces = readings.flatMap((reading) => reading.pieces);
  const having = new Float64Array(words.weights.length);
  for (const { frequencies } of pieces)
    for (let word = 0; word < having.length; word += 1) if (frequencies[word]! > 0) having[word]! += 1;
  const gains = words.weights.map(
    (weight, word) => weight * Math.log(1 + (pieces.length - having[word]! + 0.5) / (having[word]! + 0.5)),
  );
  const sum = gains.reduce((total, gain) => total + gain, 0) || 1;
  const average = pieces.reduce((total, { length }) => total + length, 0) / Math.max(1, pieces.length) || 1;
  const { k1, b, minLength: shortest } = bm25;
  for (const piece of pieces) {
    const norm = k1 * (1 - b + (b * Math.max(piece.length, shortest)) / average);
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

/** What the words of the query that some names stand for say, each word once. */
export function gainOfNames(names: Iterable<string>, words: QueryWords, { gains, sum }: WordGains): number {
  const best = new Map<number, number>();
  for (const name of names)
    for (const { word, share } of words.of(name)) best.set(word, Math.max(best.get(word) ?? 0, share));
  let total = 0;
  for (const [word, share] of best) total += gains[word]! * share;
  return total / sum;
}
