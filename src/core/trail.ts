/** The read trail: the lines that a run has read. A citation of any other lines is refused, even if it is right. */
import type { Evidence } from './evidence.ts';
import type { ContentVersion } from './material.ts';

/** Lines that were read, of a file in the working tree or at a commit. 1-based and inclusive. */
export interface ReadSpan {
  readonly path: string;
  readonly commit: string | null;
  readonly start: number;
  readonly end: number;
  /** The content that was at the path when it was read. */
  readonly content?: ContentVersion;
}

export type ReadTrail = readonly ReadSpan[];

/** The trail of evidence: each registered span has been read. */
export function toReadTrail(registered: Iterable<Evidence>): ReadTrail {
  return [...registered].map((item) => ({
    path: item.file_path,
    commit: item.commit,
    start: item.start_line,
    end: item.end_line,
  }));
}

/** Whether every line of the span was read, in one piece or in several. */
export function covers(trail: ReadTrail, span: ReadSpan): boolean {
  const pieces = trail
    .filter((read) => read.path === span.path && read.commit === span.commit && read.end >= span.start)
    .sort((a, b) => a.start - b.start);
  let next = span.start;
  for (const piece of pieces) {
    if (piece.start > next) break;
    next = Math.max(next, piece.end + 1);
    if (next > span.end) return true;
  }
  return false;
}
