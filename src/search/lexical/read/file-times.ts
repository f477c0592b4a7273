import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { replaceFile } from '../../replace-file.ts';
import { type FileStamp, uncertainTime } from '../stamp.ts';

/**
 * When the files of a segment were last changed. Stored in a file beside the segment, since it differs between two
 * clones of a commit: a checksum, then columns of float64. It is never synced. If it is missing or damaged, for example
 * beside a segment from another machine, a refresh compares the content of each file.
 */
export interface FileTimes {
  readonly modified: Float64Array;
  readonly changed: Float64Array;
  readonly inode: Float64Array;
}

/** Size of the checksum and its padding, which aligns the columns. */
const headBytes = 8;
const columns = 3;

export function timesFileName(segment: string): string {
  return `${segment}.times`;
}

/** `segment`: the path of the segment, which need not exist yet. */
export function writeFileTimes(segment: string, stamps: readonly FileStamp[]): void {
  // Documents have no times.
  if (stamps.every(({ inode }) => inode === 0)) return;
  const files = stamps.length;
  const bytes = new Uint8Array(headBytes + files * columns * 8);
  const { modified, changed, inode } = viewColumns(bytes, files);
  for (let file = 0; file < files; file++) {
    const stamp = stamps[file]!;
    modified[file] = stamp.modified;
    changed[file] = stamp.changed;
    inode[file] = stamp.inode;
  }
  new Uint32Array(bytes.buffer, 0, 1)[0] = crc32(bytes.subarray(headBytes));
  replaceFile(timesFileName(segment), bytes, { synced: false });
}

/** `segment`: the path of the segment. */
export function readFileTimes(segment: string, files: number): FileTimes {
  try {
    const bytes = new Uint8Array(readFileSync(timesFileName(segment)));
    const [sum] = new Uint32Array(bytes.buffer, 0, 1);
    const isValid =
      bytes.length === headBytes + files * columns * 8 && crc32(bytes.subarray(headBytes)) === sum;
    if (isValid) return viewColumns(bytes, files);
  } catch {
    // The times are not known.
  }
  const none = new Float64Array(files);
  return { modified: none, changed: none.map(() => uncertainTime), inode: none };
}

function viewColumns(bytes: Uint8Array<ArrayBuffer>, files: number): FileTimes {
  const column = (number: number) => new Float64Array(bytes.buffer, headBytes + number * files * 8, files);
  return { modified: column(0), changed: column(1), inode: column(2) };
}
