import { lstatSync } from 'node:fs';

/** Milliseconds. A file written more recently than this may be written again without a change of its time. */
export const clockTick = 2_000;

/** Changes when the file or folder does. Null if it does not exist, or was modified too recently to tell. */
export function fileStamp(path: string, now: number): string | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || now - Math.max(stat.mtimeMs, stat.ctimeMs) < clockTick) return null;
  return `${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}:${stat.ino}`;
}
