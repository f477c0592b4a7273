import { closeSync, fsyncSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../replace-file.ts';

/**
 * The segments whose checksums were verified, each with the stamp of its file. While the stamp is the same, the next
 * process does not verify the segment again. Damage by a program changes the stamp; damage of the disk is detected by
 * the checksums of the parts that are read.
 */
const fileName = 'verified.json';
/** Milliseconds: a file written this recently may be written again in the same tick. */
const clockTickMs = 2_000;

/** Stamps by the name of the segment. */
export type VerifiedSegments = Readonly<Record<string, string>>;

export function readVerified(directory: string): VerifiedSegments {
  try {
    const read: unknown = JSON.parse(readFileSync(join(directory, fileName), 'utf8'));
    return typeof read === 'object' && read !== null ? (read as VerifiedSegments) : {};
  } catch {
    return {};
  }
}

/** Null if the segment is gone, or so new that its stamp can't be trusted. */
export function segmentStamp(directory: string, name: string): string | null {
  const stat = statSync(join(directory, name), { throwIfNoEntry: false });
  if (stat === undefined || Date.now() - stat.ctimeMs < clockTickMs) return null;
  return [stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join();
}

/** Saves which segments were verified. May fail: the next process then verifies them again. */
export function writeVerified(directory: string, before: VerifiedSegments, names: readonly string[]): void {
  const now: VerifiedSegments = Object.fromEntries(
    names.flatMap((name) => {
      const stamp = segmentStamp(directory, name);
      if (stamp === null) return [];
      // Segments of a refresh of a few paths were not synced.
      if (before[name] !== stamp) sync(join(directory, name));
      return [[name, stamp]];
    }),
  );
  if (JSON.stringify(now) === JSON.stringify(before)) return;
  try {
    replaceFile(join(directory, fileName), JSON.stringify(now));
  } catch {
    // The next process reads the segments whole again.
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
