import type { Corpus } from '../lexical/index.ts';
import { stemWord } from './inflections.ts';
import { stopWords } from './stop-words.ts';

/**
 * A corpus as a matrix of chunks by stems. Latent vectors and feedback are computed from it.
 */
export interface WordMatrix {
  /** The stem of each column. */
  readonly stems: readonly string[];
  /** For each column, the terms of the index that have the stem. */
  readonly terms: readonly (readonly string[])[];
  /** For each column, its number of chunks. */
  readonly frequencies: Uint32Array;
  /** Start of each chunk in `indices` and `counts`, and the end of the last. */
  readonly offsets: Uint32Array;
  /** The columns of each chunk. */
  readonly indices: Uint32Array;
  /** The weighted frequency of each column in the chunk, at most 255. */
  readonly counts: Uint8Array;
}

/**
 * Words in fewer chunks than `minChunks`, or in more than `maxShare` of all, say little about the meaning of a chunk.
 */
const minChunks = 2;
const maxShare = 0.2;
const maxColumns = 30_000;

interface Column {
  readonly terms: string[];
  /** Chunk, count, chunk, count, ... A chunk with several terms of the stem occurs several times. */
  readonly postings: number[];
}

interface MergedColumn {
  readonly stem: string;
  readonly terms: readonly string[];
  readonly chunks: Uint32Array;
  readonly counts: Uint8Array;
}

/** Null if the corpus has more postings than `maxPostings`. */
export function buildWordMatrix(corpus: Corpus, maxPostings: number): WordMatrix | null {
  const columns = gatherColumns(corpus, maxPostings);
  if (columns === null) return null;
  const maxChunks = Math.max(minChunks, corpus.liveChunks * maxShare);
  const sums = new Uint32Array(corpus.chunkCount);
  const mergedColumns = [...columns]
    .map(([stem, column]) => mergeColumn(stem, column, sums))
    .filter(({ chunks }) => chunks.length >= minChunks && chunks.length < maxChunks)
    .sort((one, two) => two.chunks.length - one.chunks.length || (one.stem < two.stem ? -1 : 1))
    .slice(0, maxColumns);
  return transpose(mergedColumns, corpus.chunkCount);
}

function gatherColumns(corpus: Corpus, maxPostings: number): Map<string, Column> | null {
  const columns = new Map<string, Column>();
  let count = 0;
  corpus.forEachTerm((term, postings) => {
    if (count > maxPostings || stopWords.has(term)) return;
    const stem = stemWord(term);
    let column = columns.get(stem);
    if (column === undefined) {
      column = { terms: [], postings: [] };
      columns.set(stem, column);
    }
    column.terms.push(term);
    const list = column.postings;
    const lengthBefore = list.length;
    postings((chunk, frequency) => {
      list.push(chunk, frequency);
    });
    count += (list.length - lengthBefore) / 2;
  });
  return count > maxPostings ? null : columns;
}

/** `sums` must be all zeros, and is all zeros afterwards. */
function mergeColumn(stem: string, { terms, postings }: Column, sums: Uint32Array): MergedColumn {
  const chunks = new Uint32Array(postings.length / 2);
  let length = 0;
  for (let at = 0; at < postings.length; at += 2) {
    const chunk = postings[at]!;
    if (sums[chunk] === 0) chunks[length++] = chunk;
    sums[chunk] = sums[chunk]! + postings[at + 1]!;
  }
  const counts = new Uint8Array(length);
  for (let at = 0; at < length; at++) {
    const chunk = chunks[at]!;
    counts[at] = Math.min(255, sums[chunk]!);
    sums[chunk] = 0;
  }
  return { stem, terms: [...new Set(terms)].sort(), chunks: chunks.subarray(0, length), counts };
}

/** Builds the matrix by chunk from its columns. */
function transpose(columns: readonly MergedColumn[], chunkCount: number): WordMatrix {
  const offsets = new Uint32Array(chunkCount + 1);
  for (const { chunks } of columns) for (const chunk of chunks) offsets[chunk + 1]!++;
  for (let chunk = 0; chunk < chunkCount; chunk++) offsets[chunk + 1]! += offsets[chunk]!;
  const nextOffset = offsets.slice();
  const indices = new Uint32Array(offsets[chunkCount]!);
  const counts = new Uint8Array(indices.length);
  columns.forEach((column, index) => {
    for (let k = 0; k < column.chunks.length; k++) {
      const at = nextOffset[column.chunks[k]!]!++;
      indices[at] = index;
      counts[at] = column.counts[k]!;
    }
  });
  return {
    stems: columns.map(({ stem }) => stem),
    terms: columns.map(({ terms }) => terms),
    frequencies: Uint32Array.from(columns, ({ chunks }) => chunks.length),
    offsets,
    indices,
    counts,
  };
}
