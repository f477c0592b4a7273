import type { UnitFinder } from '../../core/index.ts';
import { parseQuery } from '../ranking/query.ts';
import { createTermGroups } from '../ranking/term-groups.ts';
import { rankingWeights } from '../ranking/weights.ts';
import type { SearchHit } from '../search.ts';
import { choosePassages, rankPassages } from './passages.ts';
import {
  type Candidate,
  QueryWords,
  type Reading,
  readFile,
  scorePieces,
  type WordGains,
} from './reading.ts';

/** Maximum number of words of a query that are used, since each word takes time. */
const maxWords = 60;
/** Maximum number of lines of a file that is read. Longer files are mostly data, or generated. */
const maxFileLines = 20_000;

export interface FilePorts {
  /** The lines of an indexed file; null if it can't be read. */
  readonly linesOf: (path: string) => readonly string[] | null;
  readonly units: UnitFinder;
}

export interface PassageRequest {
  readonly query: string;
  readonly k: number;
  /** The number of best files to read. */
  readonly filesToRead: number;
  /** Maximum number of lines of all passages of a file together. */
  readonly lines: number;
}

/** Reads the best files of a search. Adds the passages that match the query best to the first hit of each file. */
export function findPassages(
  { query, k, filesToRead, lines }: PassageRequest,
  hits: readonly SearchHit[],
  ports: FilePorts,
): readonly SearchHit[] {
  const paths = new Set<string>();
  const firstHits = hits.filter(({ path }) => !paths.has(path) && paths.add(path));
  const { readings, words, gains } = readBestFiles(query, firstHits.slice(0, filesToRead), ports);
  const readingByCandidate = new Map<Candidate, Reading>(
    readings.map((reading) => [reading.candidate, reading]),
  );
  return hits.slice(0, k).map((hit) => {
    const reading = readingByCandidate.get(hit);
    if (reading === undefined) return hit;
    const spans = choosePassages(rankPassages(reading, words, gains), lines);
    return spans.length === 0 ? hit : { ...hit, spans };
  });
}

interface BestReadings {
  readonly readings: readonly Reading[];
  readonly words: QueryWords;
  readonly gains: WordGains;
}

/** Reads the candidates that are not too long, and scores their pieces for the query. */
export function readBestFiles(
  query: string,
  candidates: readonly Candidate[],
  { linesOf, units }: FilePorts,
): BestReadings {
  const parsed = parseQuery(query, rankingWeights);
  const words = new QueryWords(
    createTermGroups({ ...parsed, words: parsed.words.slice(0, maxWords) }, rankingWeights),
  );
  const readings = candidates.flatMap((candidate) => {
    const lines = linesOf(candidate.path);
    return lines === null || lines.length > maxFileLines ? [] : [readFile(candidate, lines, words, units)];
  });
  return { readings, words, gains: scorePieces(readings, words) };
}
