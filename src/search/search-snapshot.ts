import type { UnitFinder } from '../core/index.ts';
import type { Corpus } from './lexical/index.ts';
import type { Snapshot } from './lexical/read/reader.ts';
import type { PassageRequest } from './passages/find-passages.ts';
import { parseQuery } from './ranking/query.ts';
import type { RankingState } from './ranking/ranking-state.ts';
import type { SpelledQuery } from './ranking/spelling.ts';
import { createTermGroups } from './ranking/term-groups.ts';
import { rankingWeights } from './ranking/weights.ts';
import type { SearchHit, SearchReply, SearchRequest } from './search.ts';

interface SnapshotSearch {
  /** For each file, 1 if it may be found; null if all may. */
  readonly allowed: Uint8Array | null;
  /** How the best files are read; null if none are read. */
  readonly reading: {
    readonly units: () => Promise<UnitFinder>;
    readonly linesOf: (path: string) => readonly string[] | null;
  } | null;
}

/** For fewer words no passages are ranked: a single word is found where it occurs. */
const minWordsToRead = 2;
/** How many of the best files are read: the minimum and the maximum. */
const filesToRead = { min: 30, max: 50 };

/** Searches one state of the index. */
export async function searchSnapshot(
  snapshot: Snapshot,
  ranking: RankingState,
  { query: asked, wide = false, k = wide ? 1_000 : 10, lines, signal }: Omit<SearchRequest, 'scope'>,
  { allowed, reading }: SnapshotSearch,
): Promise<SearchReply> {
  const { corpus } = snapshot;
  const { query, respelled } = await correctSpelling(asked, corpus);
  const readsFiles =
    lines !== undefined &&
    !wide &&
    parseQuery(query, rankingWeights).words.length >= minWordsToRead &&
    ranking.isRepository(snapshot);
  const request = {
    query,
    k: readsFiles ? Math.max(k, filesToRead.min) : k,
    wide,
    ...(allowed !== null && { allowed }),
  };
  const found = await ranking.rank(snapshot, request, signal);
  const notes = [...snapshot.notes, ...found.notes];
  const hits = found.spans.map(
    ({ file, chunk, score, provenance }): SearchHit => ({
      path: corpus.path(file),
      start: corpus.firstLines[chunk]!,
      end: corpus.lastLines[chunk]!,
      score,
      provenance,
    }),
  );
  return {
    hits:
      readsFiles && reading !== null ? await readBest(reading, { query, k, lines }, hits) : hits.slice(0, k),
    completeness: notes.length === 0 ? 'complete' : 'partial',
    notes: [
      ...notes,
      ...respelled.map(
        ({ asked, read }) => `“${asked}” occurs nowhere: ${formatSubstitutes(read.split(' '))}.`,
      ),
    ],
    ...(respelled.length > 0 && { respelled }),
  };
}

const formatSubstitutes = (words: readonly string[]): string =>
  `${words.map((word) => `“${word}”`).join(', ')} ${words.length === 1 ? 'was' : 'were'} searched for`;

/** Loads the spelling correction only if a word of the query does not occur in any form. */
async function correctSpelling(query: string, corpus: Corpus): Promise<SpelledQuery> {
  const groups = createTermGroups(parseQuery(query, rankingWeights), rankingWeights);
  const hasUnknownWord = groups.some(({ terms }) =>
    terms.every(({ term }) => corpus.documentFrequency(term) === 0),
  );
  return hasUnknownWord
    ? (await import('./ranking/spelling.ts')).respell(query, corpus)
    : { query, respelled: [] };
}

/** Adds passages to hits of the best files. Loads the modules for it only when they are needed. */
async function readBest(
  { units, linesOf }: NonNullable<SnapshotSearch['reading']>,
  request: Omit<PassageRequest, 'filesToRead'>,
  hits: readonly SearchHit[],
): Promise<readonly SearchHit[]> {
  const [{ findPassages }, unitsOf] = await Promise.all([import('./passages/find-passages.ts'), units()]);
  return findPassages(
    { ...request, filesToRead: Math.max(filesToRead.min, Math.min(request.k, filesToRead.max)) },
    hits,
    {
      linesOf,
      units: unitsOf,
    },
  );
}
