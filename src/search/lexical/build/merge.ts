import type { LiveSegment } from '../read/corpus.ts';
import { forEachPosting } from '../read/posting-list.ts';
import { type Bytes, ByteTable, hashBytes } from './byte-table.ts';
import { Postings, recordWords } from './postings.ts';
import { type GatheredSegment, type SegmentPlace, writeSegment } from './segment-writer.ts';
import { SegmentTables } from './tables.ts';

/** The sizes by which segments to merge are chosen. */
export interface SegmentSize {
  readonly chunks: number;
  readonly deadChunks: number;
}

/** More segments than this slow every query. */
const maxSegments = 8;
/** The number of segments after a merge. */
const segmentsAfterMerge = 4;
/** A segment with a larger share of dead chunks is rewritten. */
const maxDeadShare = 0.4;
/** A segment with fewer chunks is not rewritten for its dead chunks. */
const minRewriteChunks = 1_000;

/**
 * Returns the numbers of the segments to merge into one; empty for none. Chooses the smallest first, so that over many
 * refreshes each chunk is rewritten only a few times. Merges at most `budget` chunks.
 */
export function chooseSegmentsToMerge(sizes: readonly SegmentSize[], budget: number): number[] {
  const chosen = new Set<number>();
  sizes.forEach(({ chunks, deadChunks }, number) => {
    if (deadChunks === chunks || (chunks >= minRewriteChunks && deadChunks > maxDeadShare * chunks))
      chosen.add(number);
  });
  if (sizes.length > maxSegments) {
    const bySize = sizes.map((size, number) => ({ number, ...size })).sort((a, b) => a.chunks - b.chunks);
    for (const { number } of bySize.slice(0, sizes.length - segmentsAfterMerge + 1)) chosen.add(number);
  }
  let left = budget;
  return [...chosen]
    .sort((a, b) => sizes[a]!.chunks - sizes[b]!.chunks)
    .filter((number) => {
      left -= sizes[number]!.chunks;
      return left >= 0;
    })
    .sort((a, b) => a - b);
}

/** Writes the live files of several segments as one segment. */
export function mergeSegments(
  live: readonly LiveSegment[],
  place: SegmentPlace,
): { name: string; files: number; chunks: number } {
  const terms = live.reduce((max, { segment }) => Math.max(max, segment.header.terms), 1 << 10);
  const merged = new MergedSegment(terms);
  const renumbered = live.map((part) => copyTables(part, merged.tables));
  live.forEach(({ segment }, k) => {
    const chunks = renumbered[k]!;
    segment.forEachTerm((term, postings) => {
      let at = -1;
      forEachPosting(postings.bytes, (chunk, frequency) => {
        const target = chunks[chunk] ?? -1;
        if (target < 0) return;
        if (at < 0) at = merged.internTerm(term) * recordWords;
        merged.postings.append(at, target, frequency);
      });
    });
  });
  const name = writeSegment(merged, place);
  return { name, files: merged.tables.paths.length, chunks: merged.tables.chunks };
}

/** The merged segment while it is built. */
class MergedSegment implements GatheredSegment {
  readonly tables = new SegmentTables();
  readonly terms: ByteTable;
  readonly postings: Postings;

  /** `capacity`: expected number of terms. */
  constructor(capacity: number) {
    this.terms = new ByteTable(capacity);
    this.postings = new Postings(capacity);
  }

  internTerm(bytes: Uint8Array): number {
    const hash = hashBytes(bytes, 0, bytes.length);
    const found = this.terms.find(bytes, 0, bytes.length, hash);
    if (found > 0) return found;
    const term = this.terms.add(~found, bytes, 0, bytes.length, hash);
    this.postings.addTerm(term);
    return term;
  }

  documentFrequency(term: number): number {
    return this.postings.documentFrequency(term);
  }

  byteLength(term: number): number {
    return this.postings.byteLength(term);
  }

  encodePostings(order: Uint32Array): Bytes {
    const total = order.reduce((sum, term) => sum + this.postings.byteLength(term), 0);
    const encoded = new Uint8Array(total);
    let at = 0;
    for (const term of order) at = this.postings.copy(term, encoded, at);
    return encoded;
  }
}

/** Copies the live files. Returns the new number of each chunk, or -1 if its file is dead. */
function copyTables({ segment, dead }: LiveSegment, tables: SegmentTables): Int32Array {
  const renumbered = new Int32Array(segment.header.chunks).fill(-1);
  const deadFiles = new Set(dead);
  for (let file = 0; file < segment.header.files; file++) {
    if (deadFiles.has(file)) continue;
    tables.addFile(segment.path(file), segment.stamp(file));
    for (let chunk = segment.firstChunks[file]!; chunk < segment.firstChunks[file + 1]!; chunk++) {
      renumbered[chunk] = tables.addChunk(
        segment.firstLines[chunk]!,
        segment.lastLines[chunk]!,
        segment.lengths[chunk]!,
      );
    }
  }
  return renumbered;
}
