import { type CodeUnit, fileKind, type UnitFinder } from '../../core/index.ts';
import {
  classifyLine,
  type FilePart,
  findIdentifiers,
  isPassingLine,
  QueryWords,
  type Reading,
  readFile,
  scoreNames,
  scorePieces,
  type WordGains,
} from '../passages/reading.ts';
import { parseQuery } from './query.ts';
import { weightInQuestion } from './stop-words.ts';
import { createTermGroups } from './term-groups.ts';
import { rankingWeights } from './weights.ts';

/** A file that a search found, with its text. */
export interface FoundFile {
  readonly path: string;
  readonly lines: readonly string[];
  /** The score of the search; positive. */
  readonly score: number;
  /** The lines that were found. */
  readonly start: number;
  readonly end: number;
}

/** A definition, or lines outside of all definitions, with its score. Lines are 1-based and inclusive. */
export interface RankedUnit {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  /** Null for lines outside of all definitions. */
  readonly unit: CodeUnit | null;
  /** Relative to the best, which has 1. */
  readonly score: number;
}

/**
 * Weights of the features that distinguish the definition that answers a question from others in the best files.
 * Learned from 90 questions with their lines in ten repositories (bench/RESULTS.md). In a test with each repository
 * left out in turn, the right definition is among the first three for 56 questions; by words and kinds of files alone,
 * for 50. Tried without gain: the best single line, comments alone, the rank of the file in the search, names that the
 * documentation uses in the same passage.
 */
const unitWeights = {
  /** The share of the query in the definition. `together`: the largest share in adjacent lines of it. */
  words: 3.8,
  together: 2.44,
  /**
   * The share of the query in its name; `around`: in the names of enclosing definitions; `file` and `folders`: in the
   * path.
   */
  name: 5.33,
  around: 3.91,
  file: 10.87,
  folders: 8.01,
  /** The best share of the query around a use of the name. */
  uses: 1.21,
  /** The score of the file in the search. `hit`: the share of the definition's lines that the search found. */
  found: 4.64,
  hit: 1,
  test: -3.46,
  docs: -2.38,
  otherKind: -2.33,
  /** 1 for a declaration, such as a type or a constant. */
  declares: -2.45,
  /** The logarithm of its number of lines, divided by 4. */
  length: 3.66,
  /** The share of its lines with a condition. */
  decides: 9.52,
} as const;
/**
 * Added if a line assigns a value to a name that contains the whole query: `defaultRetention = 336 * time.Hour` answers
 * "what is the default retention?". Chosen by hand on constants of six repositories, since there was no data to learn
 * it from.
 */
const valueWeight = 16;
/** Minimum share of the query that the assigned name must contain. */
const minQueryShare = 0.9;
/** Minimum words of a query for which assigned values are looked for. */
const minValueWords = 2;
/** An assignment of a literal value: a number, a text, a list, a product. */
const valueLine =
  /^\s*([\w$<>[\],?.* ]+?)\s*(?::[^=:]+)?(?::?=|:)\s*(?:[-\d"'`[{(]|[\w.]+\s*\*\s*\d|\w+\(\s*["'\d])/;
/** The path of a test double. */
const testDouble = /(?:^|[/_.-])(?:mocks?|fakes?|stubs?)(?:[/_.-]|$)/i;
const declarations: ReadonlySet<string> = new Set(
  'class interface struct trait type enum union field heading constant'.split(' '),
);
const conditionLine =
  /^\s*(?:\}?\s*(?:else\s+)?if\b|elif\b|unless\b|case\b|when\b|match\b|switch\b|while\b|except\b|catch\b|\?)/;
/** Number of adjacent lines that are scored together. */
const windowLines = 9;
const passingWeight = 0.2;
/** Minimum characters of a name whose uses count. Shorter names are too common. */
const minNameLength = 4;
/** For uses of a definition: the weight of a word in the name of the definition that uses it. */
const userNameWeight = 0.7;

/** Ranks definitions, best first. Of those in one file with the same name and words, only the best is kept. */
export function rankUnits(query: string, files: readonly FoundFile[], unitsOf: UnitFinder): RankedUnit[] {
  const words = parseWords(query);
  const readings = files.map((file) => readFile(file, file.lines, words, unitsOf));
  const gains = scorePieces(readings, words);
  const uses = scoreUses(readings, words, gains);
  const bestPieceScore =
    Math.max(...readings.flatMap(({ pieces }) => pieces.map(({ score }) => score)), 0) || 1;
  const bestFile = Math.max(...files.map(({ score }) => score)) || 1;
  const seenKeys = new Set<string>();
  const scored = readings.flatMap((reading) => {
    const { path } = reading.candidate;
    const fileScore =
      scoreFile(reading, words, gains) + unitWeights.found * (reading.candidate.score / bestFile);
    return reading.pieces
      .filter(({ frequencies }) => frequencies.some((frequency) => frequency > 0))
      .map((piece) => ({
        ...{ path, start: piece.start, end: piece.end, unit: piece.unit, frequencies: piece.frequencies },
        score:
          fileScore +
          unitWeights.words * (piece.score / bestPieceScore) +
          scorePiece(reading, piece, words, gains, uses),
      }));
  });
  const topScore = Math.max(...scored.map(({ score }) => score));
  return scored
    .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.start - b.start))
    .filter(({ path, unit, frequencies }) => {
      const key = unit === null ? '' : `${path} ${unit.name} ${frequencies.join()}`;
      if (key === '' || !seenKeys.has(key)) return key === '' || seenKeys.add(key) !== undefined;
      return false;
    })
    .map(({ path, start, end, unit, score }) => ({
      path,
      start,
      end,
      unit,
      score: Math.exp(score - topScore),
    }));
}

function parseWords(query: string): QueryWords {
  const parsed = parseQuery(query, rankingWeights);
  const words = parsed.words.map((word) => ({ ...word, weight: word.weight * weightInQuestion(word.term) }));
  return new QueryWords(createTermGroups({ ...parsed, words }, rankingWeights));
}

function scoreFile({ candidate: { path } }: Reading, words: QueryWords, gains: WordGains): number {
  const folders = path.split('/');
  const fileName = folders.pop()!.replace(/\.\w+$/, '');
  const kind = fileKind(path);
  return (
    unitWeights.file * scoreNames(findIdentifiers(fileName), words, gains) +
    unitWeights.folders * scoreNames(findIdentifiers(folders.join(' ')), words, gains) +
    (kind === 'docs' ? unitWeights.docs : 0) +
    (kind !== 'code' && kind !== 'test' && kind !== 'docs' ? unitWeights.otherKind : 0)
  );
}

function scorePiece(
  reading: Reading,
  piece: FilePart,
  words: QueryWords,
  gains: WordGains,
  uses: ReadonlyMap<string, number>,
): number {
  const { lines, units, candidate } = reading;
  const { start, end, unit } = piece;
  const length = end - start + 1;
  const enclosing = units.filter((other) => other !== unit && other.start <= start && end <= other.end);
  const nameShare = unit === null ? 0 : scoreNames([unit.name], words, gains);
  const conditions = lines.slice(start - 1, end).filter((line) => conditionLine.test(line)).length;
  const commonLines = Math.max(0, Math.min(end, candidate.end) - Math.max(start, candidate.start) + 1);
  return (
    unitWeights.together * findBestWindow(reading, piece, gains) +
    unitWeights.name * nameShare +
    unitWeights.around *
      scoreNames(
        enclosing.map(({ name }) => name),
        words,
        gains,
      ) +
    unitWeights.uses * (unit === null ? 0 : (uses.get(unit.name) ?? 0)) +
    unitWeights.hit * (commonLines / length) +
    (piece.isTest || isForTests(candidate.path) ? unitWeights.test : 0) +
    (unit !== null && declarations.has(unit.kind) ? unitWeights.declares : 0) +
    unitWeights.length * (Math.log(length) / 4) +
    unitWeights.decides * (conditions / length) +
    (definesValue(reading, piece, words, gains) ? valueWeight : 0)
  );
}

/** Whether a name contains nearly the whole query. Other forms of a word, such as `max`, count fully. */
function containsQuery(name: string, words: QueryWords, { gains, sum }: WordGains): boolean {
  const containedWords = new Set(words.findMatches(name).map(({ word }) => word));
  return [...containedWords].reduce((total, word) => total + gains[word]!, 0) >= minQueryShare * sum;
}

/** Whether a line of the piece assigns a value to a name that contains the whole query. */
function definesValue(
  { lines, matches }: Reading,
  { start, end }: FilePart,
  words: QueryWords,
  gains: WordGains,
): boolean {
  if (gains.gains.length < minValueWords) return false;
  for (let line = start; line <= end; line += 1) {
    if (matches[line - 1]!.length === 0) continue;
    const assignedNames = valueLine.exec(lines[line - 1]!)?.[1];
    if (
      assignedNames !== undefined &&
      findIdentifiers(assignedNames).some((name) => containsQuery(name, words, gains))
    )
      return true;
  }
  return false;
}

const isForTests = (path: string): boolean => fileKind(path) === 'test' || testDouble.test(path);

/** The largest share of the query within adjacent lines of a piece. */
function findBestWindow(
  { lines, matches }: Reading,
  { start, end }: FilePart,
  { gains, sum }: WordGains,
): number {
  let best = 0;
  const shares = new Float64Array(gains.length);
  for (let from = start; from <= end; from += 2) {
    shares.fill(0);
    for (let line = from; line < Math.min(end + 1, from + windowLines); line += 1)
      for (const { word, share } of matches[line - 1]!)
        shares[word] = Math.max(shares[word]!, share * (isPassingLine(lines[line - 1]!) ? passingWeight : 1));
    best = Math.max(best, sumShares(shares, gains, sum));
  }
  return best;
}

const sumShares = (shares: Float64Array, gains: readonly number[], sum: number): number =>
  shares.reduce((total, share, word) => total + share * gains[word]!, 0) / sum;

/** For each name of a definition, the largest share of the query around a use elsewhere. */
function scoreUses(
  readings: readonly Reading[],
  words: QueryWords,
  { gains, sum }: WordGains,
): ReadonlyMap<string, number> {
  const defined = new Set(
    readings.flatMap(({ pieces }) =>
      pieces.flatMap(({ unit }) => (unit !== null && unit.name.length >= minNameLength ? [unit.name] : [])),
    ),
  );
  const bestShares = new Map<string, number>();
  const shares = new Float64Array(gains.length);
  for (const { lines, identifiers, matches, pieces } of readings) {
    const unitOfLine = mapLinesToUnits(pieces, lines.length);
    for (const [lineIndex, names] of identifiers.entries())
      for (const name of names) {
        const userName = unitOfLine[lineIndex + 1]?.name;
        if (!defined.has(name) || userName === name || classifyLine(lines[lineIndex]!) === 'import') continue;
        shares.fill(0);
        for (
          let nearLine = Math.max(0, lineIndex - 2);
          nearLine <= Math.min(lines.length - 1, lineIndex + 1);
          nearLine += 1
        )
          for (const { word, share } of matches[nearLine]!) shares[word] = Math.max(shares[word]!, share);
        for (const { word, share } of userName === undefined ? [] : words.findMatches(userName))
          shares[word] = Math.max(shares[word]!, share * userNameWeight);
        bestShares.set(name, Math.max(bestShares.get(name) ?? 0, sumShares(shares, gains, sum)));
      }
  }
  return bestShares;
}

function mapLinesToUnits(pieces: readonly FilePart[], length: number): readonly (CodeUnit | undefined)[] {
  const units: (CodeUnit | undefined)[] = Array.from({ length: length + 2 });
  for (const { start, end, unit } of pieces)
    for (let line = start; line <= end; line += 1) units[line] = unit ?? undefined;
  return units;
}
