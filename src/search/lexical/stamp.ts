import type { Stats } from 'node:fs';

/** Tells whether a file has changed since it was read. Times in milliseconds since the Unix epoch. */
export interface FileStamp {
  readonly size: number;
  readonly modified: number;
  /** The time when the inode changed. Unlike the time of modification, programs can't set it back. */
  readonly changed: number;
  readonly inode: number;
  /** CRC-32 of the content: decides, together with the size, where the times leave a doubt. */
  readonly crc: number;
}

/** In place of `changed`: the times don't tell, and the content has to be compared. */
export const uncertainTime = -1;

/** For a document that is not a file. */
export const noStamp: FileStamp = Object.freeze({ size: 0, modified: 0, changed: 0, inode: 0, crc: 0 });

/** Whether the file is certainly as it was when the stamp was taken. */
export function matchesStamp(stat: Stats, stamp: FileStamp): boolean {
  return (
    stat.ctimeMs === stamp.changed &&
    stat.mtimeMs === stamp.modified &&
    stat.size === stamp.size &&
    stat.ino === stamp.inode
  );
}
