import type { LiveSegment } from './corpus.ts';
import type { PassedFile } from './file-indexer.ts';
import type { FileStamp } from './stamp.ts';
import type { TreeState } from './tree-state.ts';

/** A file as the index has it. */
export type KnownFile =
  | {
      readonly kind: 'indexed';
      readonly path: string;
      readonly segment: number;
      readonly file: number;
      readonly stamp: FileStamp;
    }
  | {
      readonly kind: 'passed';
      readonly path: string;
      readonly passed: PassedFile;
      readonly stamp: FileStamp;
    };

/** By path. */
export function knownFiles(
  segments: readonly LiveSegment[],
  state: TreeState | null,
): Map<string, KnownFile> {
  const known = new Map<string, KnownFile>();
  const newer = new Map(state?.restamped);
  segments.forEach(({ segment, dead }, number) => {
    let nextDead = 0;
    for (let file = 0; file < segment.header.files; file++) {
      if (dead[nextDead] === file) {
        nextDead++;
        continue;
      }
      const path = segment.path(file);
      const own = segment.stamp(file);
      const later = newer.get(path);
      // A newer stamp speaks of the content it was taken of, which may not be what this segment holds.
      const stamp = later !== undefined && later.crc === own.crc && later.size === own.size ? later : own;
      known.set(path, { kind: 'indexed', path, segment: number, file, stamp });
    }
  });
  for (const passed of state?.passed ?? []) {
    known.set(passed.path, { kind: 'passed', path: passed.path, passed, stamp: passed.stamp });
  }
  return known;
}
