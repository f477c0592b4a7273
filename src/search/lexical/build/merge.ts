import type { LiveSegment } from '../read/corpus.ts';
import { forEachPosting } from '../read/posting-list.ts';
import { type Bytes, ByteTable, hashBytes } from './byte-table.ts';
import { Postings, recordWords } from './postings.ts';
import { type GatheredSegment, type SegmentPlace, writeSegment } from './segment-writer.ts';
import { SegmentTables } from './tables.ts';

/** The sizes by which merges of segments are chosen. */
export interface SegmentSize {
  readonly chunks: number;
  readonly deadChunks: number;
}

/** More segments than this slow every query. */
const maxSegments = 8;
/** How many segments are left after a merge. */
const segmentsAfterMerge = 4;
/** A segment of which more than this share is dead is written again. */
const maxDeadShare = 0.4;
/** A smaller segment is not worth it. In chunks. */
const minRewriteChunks = 1_000;

/**
 * The segments to merge into one, by number; empty for none. The smallest are merged first, so that each chunk is
 * rewritten only a few times, however many refreshes there are. At most `budget` chunks are merged.
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

/** Writes the living part of several segments as one. */
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

/** Several segments while they become one. */
class MergedSegment implements GatheredSegment {
  readonly tables = new SegmentTables();
  readonly terms: ByteTable;
  readonly postings: Postings;

  /** `capacity`: terms expected. */
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

/** Returns, by old chunk number, the new one, or -1 where its file is dead. */
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
