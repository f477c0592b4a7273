import { type CodeUnit, fileKind, type UnitFinder } from '../../core/index.ts';
import { termsOf } from '../tokens.ts';
import { type FilePiece, findPieces } from './pieces.ts';
import { parseQuery } from './query.ts';
import { termGroups } from './term-groups.ts';
import { rankingWeights } from './weights.ts';

/** A file that a search found, with its text. */
export interface FoundFile {
  readonly path: string;
  readonly lines: readonly string[];
  /** The score of the search; positive. */
  readonly score: number;
}

/** A definition, or lines outside of all, and how well it fits a query. Lines are 1-based and inclusive. */
export interface RankedUnit {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  /** Null for lines outside of all definitions. */
  readonly unit: CodeUnit | null;
  readonly score: number;
}

/**
 * BM25 over whole definitions. Chosen on fifteen questions with their lines over two repositories, where twelve settings
 * hardly differed; see bench/RESULTS.md for two others. Length hardly counts: a short definition that only names a word
 * of the question says less than the one that works with it.
 */
const bm25 = { k1: 1.2, b: 0.5, minLength: 60 };
/** The weight of words in a header, against those of the body. */
const headerWorth = 1.5;
/** A line that imports a name, or passes it on as an argument, does not say what becomes of it. */
const handsOn =
  /^\s*(?:import\b|from\s+\S+\s+import\b|use\s|#include\b|[\w$.]+,?$|([\w$]+)\s*[:=]\s*\1\s*,?\s*$)/;
const handedOn = 0.2;
/** A word of the path, against the same word in the text. */
const pathWorth = 0.3;
/** What the search says of the whole file, against what the definition says. */
const fileWorth = 0.35;
/** Definitions in programs answer what a program does; those in tests, documentation and settings only mention it. */
const kindWorth = { code: 1, test: 0.55, docs: 0.55, example: 0.6, generated: 0.4, config: 0.6 } as const;
const testWorth = 0.6;
const standIn = /(?:^|[/_.-])(?:mocks?|fakes?|stubs?)(?:[/_.-]|$)/i;
/** A declaration without a body does nothing. */
const declaredWorth = 0.8;
const declarations: ReadonlySet<string> = new Set(
  'class interface struct trait type enum union field'.split(' '),
);
const tokens = { stemming: 'none' } as const;

interface Counted {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly unit: CodeUnit | null;
  readonly fileScore: number;
  /** By word of the query. */
  readonly frequencies: Float64Array;
  readonly length: number;
  readonly worth: number;
}

/** Best first; of two with one name that hold the same words in one file, the better. */
export function rankUnits(query: string, files: readonly FoundFile[], unitsOf: UnitFinder): RankedUnit[] {
  const counter = new Counter(query);
  const counted = files.flatMap((file) =>
    [...findPieces(file.lines, unitsOf(file.path, file.lines))].map((piece) => counter.count(file, piece)),
  );
  if (counted.length === 0) return [];
  const gains = counter.gains(counted);
  const average = counted.reduce((sum, { length }) => sum + length, 0) / counted.length;
  const raw = counted.map(
    (one) => textScore(one, gains, average) + pathWorth * counter.pathScore(one.path, gains),
  );
  const best = Math.max(...raw) || 1;
  const bestFile = Math.max(...files.map(({ score }) => score)) || 1;
  const seen = new Set<string>();
  return counted
    .flatMap(({ worth, fileScore, ...one }, n) =>
      one.frequencies.some((frequency) => frequency > 0)
        ? [{ ...one, score: (raw[n]! / best) * worth + (fileWorth * fileScore) / bestFile }]
        : [],
    )
    .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.start - b.start))
    .filter(({ path, unit, frequencies }) => {
      const key = unit === null ? '' : `${path} ${unit.name} ${frequencies.join()}`;
      if (key === '' || !seen.has(key)) return key === '' || seen.add(key) !== undefined;
      return false;
    })
    .map(({ path, start, end, unit, score }) => ({ path, start, end, unit, score }));
}

/** Counts the words of one query in lines. */
class Counter {
  readonly #weights: readonly number[];
  /** By term: the words that it matches, and how well. */
  readonly #standsFor = new Map<string, [word: number, share: number][]>();

  constructor(query: string) {
    const groups = termGroups(parseQuery(query, rankingWeights), rankingWeights);
    this.#weights = groups.map(({ weight }) => weight);
    for (const [word, { terms }] of groups.entries())
      for (const { term, weight } of terms) {
        const words = this.#standsFor.get(term);
        if (words === undefined) this.#standsFor.set(term, [[word, weight]]);
        else words.push([word, weight]);
      }
  }

  count({ path, lines, score }: FoundFile, { start, end, unit, isTest }: FilePiece): Counted {
    const frequencies = new Float64Array(this.#weights.length);
    let length = 0;
    for (let line = start; line <= end; line += 1) {
      const text = lines[line - 1]!;
      const terms = termsOf(text, tokens);
      length += terms.length;
      const worth = line === unit?.header.start ? headerWorth : handsOn.test(text) ? handedOn : 1;
      for (const term of terms)
        for (const [word, share] of this.#standsFor.get(term) ?? []) frequencies[word]! += share * worth;
    }
    const worth =
      kindWorth[fileKind(path)] *
      (isTest || standIn.test(path) ? testWorth : 1) *
      (unit !== null && declarations.has(unit.kind) ? declaredWorth : 1);
    return { path, start, end, unit, fileScore: score, frequencies, length, worth };
  }

  /** By word: words that are rare over the pieces count more. */
  gains(counted: readonly Counted[]): readonly number[] {
    return this.#weights.map((weight, word) => {
      const having = counted.reduce((sum, { frequencies }) => sum + (frequencies[word]! > 0 ? 1 : 0), 0);
      return weight * Math.log(1 + (counted.length - having + 0.5) / (having + 0.5));
    });
  }

  pathScore(path: string, gains: readonly number[]): number {
    let score = 0;
    for (const term of new Set(termsOf(path, tokens)))
      for (const [word, share] of this.#standsFor.get(term) ?? []) score += share * gains[word]!;
    return score;
  }
}

function textScore({ frequencies, length }: Counted, gains: readonly number[], average: number): number {
  const { k1, b, minLength: shortest } = bm25;
  const norm = k1 * (1 - b + (b * Math.max(length, shortest)) / average);
  return gains.reduce((sum, gain, word) => {
    const frequency = frequencies[word]!;
    return sum + (gain * frequency * (k1 + 1)) / (frequency + norm);
  }, 0);
}
