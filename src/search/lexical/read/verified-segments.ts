import { closeSync, fsyncSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../replace-file.ts';

/**
 * Which segments were read whole and found sound, each with the stamp it had: one that is the same file, untouched, is
 * not read whole again by the next process. A damage changes the times of a file, but for one of the disk itself, which
 * the checksums of what is read still meet.
 */
const fileName = 'verified.json';
/** Milliseconds: a file written this recently may be written again in the same tick. */
const clockTickMs = 2_000;

/** By the name of the segment. */
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

/** Saves which segments were checked; nothing depends on whether that works. */
export function writeVerified(directory: string, before: VerifiedSegments, names: readonly string[]): void {
  const now: VerifiedSegments = Object.fromEntries(
    names.flatMap((name) => {
      const stamp = segmentStamp(directory, name);
      if (stamp === null) return [];
      // A look at a few paths leaves it to the operating system when its segment reaches the disk.
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
