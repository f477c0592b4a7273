import type { Corpus } from '../lexical/index.ts';
import { stemOf } from './inflections.ts';
import { stopWords } from './stop-words.ts';

/** A corpus as chunks by words, words of one stem being one column. What latent vectors and feedback stand on. */
export interface WordMatrix {
  /** By column. */
  readonly stems: readonly string[];
  /** By column, the terms of the index that have the stem. */
  readonly terms: readonly (readonly string[])[];
  /** By column, in how many chunks. */
  readonly frequencies: Uint32Array;
  /** One more than chunks of the corpus. */
  readonly offsets: Uint32Array;
  /** Columns, chunk after chunk. */
  readonly indices: Uint32Array;
  /** How often the word stands in the chunk, fields weighted as in the index; at most 255. */
  readonly counts: Uint8Array;
}

/** Words in fewer chunks join nothing; words in more say nothing. */
const fewestChunks = 2;
const mostShare = 0.2;
const mostColumns = 30_000;

interface Column {
  readonly terms: string[];
  /** Chunk and count in turn; a chunk may come again for another term of the stem. */
  readonly postings: number[];
}

/** Null where the matrix would have more than `mostEntries`. */
export function wordMatrix(corpus: Corpus, mostEntries: number): WordMatrix | null {
  const columns = gatherColumns(corpus, mostEntries);
  if (columns === null) return null;
  const most = Math.max(fewestChunks, corpus.liveChunks * mostShare);
  const kept = [...columns]
    .map(([stem, { terms, postings }]) => ({ stem, terms, counts: countsOf(postings) }))
    .filter(({ counts }) => counts.size >= fewestChunks && counts.size < most)
    .sort((one, two) => two.counts.size - one.counts.size || (one.stem < two.stem ? -1 : 1))
    .slice(0, mostColumns);
  const lengths = new Uint32Array(corpus.chunkCount + 1);
  for (const { counts } of kept) for (const chunk of counts.keys()) lengths[chunk + 1]!++;
  for (let c = 0; c < corpus.chunkCount; c++) lengths[c + 1] = lengths[c + 1]! + lengths[c]!;
  const next = lengths.slice();
  const indices = new Uint32Array(lengths[corpus.chunkCount]!);
  const counts = new Uint8Array(indices.length);
  kept.forEach((column, index) => {
    for (const [chunk, count] of column.counts) {
      const at = next[chunk]!++;
      indices[at] = index;
      counts[at] = Math.min(255, count);
    }
  });
  return {
    stems: kept.map(({ stem }) => stem),
    terms: kept.map(({ terms }) => [...new Set(terms)].sort()),
    frequencies: Uint32Array.from(kept, (column) => column.counts.size),
    offsets: lengths,
    indices,
    counts,
  };
}

function gatherColumns(corpus: Corpus, mostEntries: number): Map<string, Column> | null {
  const columns = new Map<string, Column>();
  let entries = 0;
  corpus.eachTerm((term, postings) => {
    if (entries > mostEntries || stopWords.has(term)) return;
    const stem = stemOf(term);
    let column = columns.get(stem);
    if (column === undefined) {
      column = { terms: [], postings: [] };
      columns.set(stem, column);
    }
    column.terms.push(term);
    const list = column.postings;
    postings((chunk, count) => {
      list.push(chunk, count);
      entries++;
    });
  });
  return entries > mostEntries ? null : columns;
}

function countsOf(postings: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (let at = 0; at < postings.length; at += 2) {
    const chunk = postings[at]!;
    counts.set(chunk, (counts.get(chunk) ?? 0) + postings[at + 1]!);
  }
  return counts;
}
