import type { Stats } from 'node:fs';

/** Shows whether a file has changed since it was read. Times are in milliseconds since the Unix epoch. */
export interface FileStamp {
  readonly size: number;
  readonly modified: number;
  /** The inode's change time (ctime). Unlike the modification time, programs can't set it. */
  readonly changed: number;
  readonly inode: number;
  /** CRC-32 of the content. Compared, with the size, if the times can't be trusted. */
  readonly crc: number;
}

/** A value of `changed`: the times can't be trusted, so the content must be compared. */
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
