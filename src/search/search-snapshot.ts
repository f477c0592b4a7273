import type { Snapshot } from './lexical/reader.ts';
import type { RankingState } from './ranking/ranking-state.ts';
import type { SearchReply, SearchRequest } from './search.ts';

/** Searches what was indexed; `allowed` has a 1 for each file that may be found, and is null where all may. */
export async function searchSnapshot(
  snapshot: Snapshot,
  ranking: RankingState,
  { query, wide = false, k = wide ? 1_000 : 10, signal }: Omit<SearchRequest, 'scope'>,
  allowed: Uint8Array | null,
): Promise<SearchReply> {
  const { corpus } = snapshot;
  const request = { query, k, wide, ...(allowed !== null && { allowed }) };
  const found = await ranking.rank(snapshot, request, signal);
  const notes = [...snapshot.notes, ...found.notes];
  return {
    hits: found.spans.map(({ file, chunk, score, provenance }) => ({
      path: corpus.path(file),
      start: corpus.firstLines[chunk]!,
      end: corpus.lastLines[chunk]!,
      score,
      provenance,
    })),
    completeness: notes.length === 0 ? 'complete' : 'partial',
    notes,
  };
}
