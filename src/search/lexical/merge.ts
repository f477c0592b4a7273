import { SegmentBuilder } from './builder.ts';
import type { LiveSegment } from './corpus.ts';
import { eachPosting } from './posting-list.ts';
import { recordWords } from './postings.ts';
import { writeSegment } from './segment-writer.ts';
import type { IndexSettings } from './settings.ts';

/** What a merge is decided by. */
export interface SegmentSize {
  readonly chunks: number;
  readonly deadChunks: number;
}

/** More segments than this slow every query. */
const mostSegments = 8;
/** How many are left where there were too many. */
const segmentsAfter = 4;
/** A segment of which more than this share is dead is written again. */
const mostDead = 0.4;
/** A smaller segment is not worth it. In chunks. */
const smallest = 1_000;

/**
 * Which segments to make one of, by number; empty for none. The smallest go first, so that a chunk is written
 * again a few times only, however many refreshes there are. At most `budget` chunks are taken.
 */
export function segmentsToMerge(sizes: readonly SegmentSize[], budget: number): number[] {
  const chosen = new Set<number>();
  sizes.forEach(({ chunks, deadChunks }, number) => {
    if (deadChunks === chunks || (chunks >= smallest && deadChunks > mostDead * chunks)) chosen.add(number);
  });
  if (sizes.length > mostSegments) {
    const rising = sizes.map((size, number) => ({ number, ...size })).sort((a, b) => a.chunks - b.chunks);
    for (const { number } of rising.slice(0, sizes.length - segmentsAfter + 1)) chosen.add(number);
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
  settings: IndexSettings,
  path: string,
): { files: number; chunks: number } {
  const terms = live.reduce((most, { segment }) => Math.max(most, segment.header.terms), 1 << 10);
  const builder = new SegmentBuilder(settings, terms);
  const renumbered = live.map((part) => copyTables(part, builder));
  live.forEach(({ segment }, k) => {
    const chunks = renumbered[k]!;
    segment.eachTerm((term, postings) => {
      let at = -1;
      eachPosting(postings.bytes, (chunk, frequency) => {
        const target = chunks[chunk] ?? -1;
        if (target < 0) return;
        if (at < 0) at = builder.termOf(term, 0, term.length) * recordWords;
        builder.postings.append(at, target, frequency);
      });
    });
  });
  writeSegment(builder, path);
  return { files: builder.tables.paths.length, chunks: builder.tables.chunks };
}

/** Returns, by old chunk number, the new one, or -1 where its file is dead. */
function copyTables({ segment, dead }: LiveSegment, builder: SegmentBuilder): Int32Array {
  const renumbered = new Int32Array(segment.header.chunks).fill(-1);
  const gone = new Set(dead);
  for (let file = 0; file < segment.header.files; file++) {
    if (gone.has(file)) continue;
    builder.tables.addFile(segment.path(file), segment.stamp(file));
    for (let chunk = segment.firstChunks[file]!; chunk < segment.firstChunks[file + 1]!; chunk++) {
      renumbered[chunk] = builder.tables.addChunk(
        segment.firstLines[chunk]!,
        segment.lastLines[chunk]!,
        segment.lengths[chunk]!,
      );
    }
  }
  return renumbered;
}
