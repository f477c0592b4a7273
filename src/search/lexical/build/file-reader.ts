import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { decode, detectEncoding, type Encoding } from '../../decoding.ts';
import type { WalkLimits } from '../../walk/walk-limits.ts';
import { type FileStamp, uncertainTime } from '../stamp.ts';
import type { Bytes } from './byte-table.ts';

/** Why a file that was opened is not in the index. */
export type PassedReason = 'binary' | 'huge' | 'unreadable';

export type FileRead =
  /** The content, as UTF-8, is in `bytes[0, length)` until the next file is read. */
  | {
      readonly kind: 'text';
      readonly bytes: Bytes;
      readonly length: number;
      readonly stamp: FileStamp;
      /** Null for plain UTF-8. `utf-8` for a text with NUL bytes. */
      readonly encoding: Encoding | null;
    }
  | { readonly kind: 'passed'; readonly reason: PassedReason; readonly stamp: FileStamp }
  /** Removed, or replaced by a link or a folder, since the walk. */
  | { readonly kind: 'gone' };

/**
 * Resolution of a file system's clock; FAT's is the coarsest. A second change within it leaves the times unchanged. So
 * a stamp taken this soon after a change is not trusted, and the next refresh compares the content.
 */
const clockTickMs = 2_000;

/** A larger file is indexed in parts of this size. */
export const maxPartBytes = 4 << 20;

const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Reads files one after the other. */
export class FileReader {
  readonly #root: string;
  readonly #limits: WalkLimits;
  readonly #room: (length: number) => Bytes;

  /** `reserve` returns a buffer of at least `length` bytes for the next file. */
  constructor(root: string, limits: WalkLimits, reserve: (length: number) => Bytes = createGrowingBuffer()) {
    this.#root = root;
    this.#limits = limits;
    this.#room = reserve;
  }

  read(path: string): FileRead {
    let file: number;
    try {
      file = openSync(join(this.#root, path), flags);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      // ELOOP: a link took the file's place.
      if (code === 'ENOENT' || code === 'ELOOP' || code === 'ENOTDIR') return { kind: 'gone' };
      return {
        kind: 'passed',
        reason: 'unreadable',
        stamp: { size: 0, modified: 0, changed: uncertainTime, inode: 0, crc: 0 },
      };
    }
    try {
      return this.#readOpen(file);
    } catch {
      return {
        kind: 'passed',
        reason: 'unreadable',
        stamp: { size: 0, modified: 0, changed: uncertainTime, inode: 0, crc: 0 },
      };
    } finally {
      closeSync(file);
    }
  }

  #readOpen(file: number): FileRead {
    const stat = fstatSync(file);
    if (!stat.isFile()) return { kind: 'gone' };
    if (stat.size > this.#limits.maxFileBytes)
      return { kind: 'passed', reason: 'huge', stamp: createStamp(stat, 0) };
    const bytes = stat.size > maxPartBytes ? Buffer.allocUnsafe(stat.size) : this.#room(stat.size);
    let length = 0;
    while (length < stat.size) {
      const count = readSync(file, bytes, length, stat.size - length, null);
      if (count === 0) break;
      length += count;
    }
    const content = bytes.subarray(0, length);
    const stamp = createStamp(stat, crc32(content));
    const encoding = detectEncoding(content);
    if (encoding === null) return { kind: 'passed', reason: 'binary', stamp };
    if (encoding === 'utf-8') {
      const isPlain = length === 0 || !content.includes(0);
      return { kind: 'text', bytes, length, stamp, encoding: isPlain ? null : encoding };
    }
    const text = Buffer.from(decode(content)?.text ?? '');
    return { kind: 'text', bytes: text, length: text.length, stamp, encoding };
  }
}

function createGrowingBuffer(): (length: number) => Bytes {
  let bytes: Bytes = new Uint8Array(1 << 16);
  return (length) => {
    if (length > bytes.length) bytes = new Uint8Array(Math.max(length, bytes.length * 2));
    return bytes;
  };
}

export function createStamp(stat: Stats, crc: number): FileStamp {
  const isUncertain = stat.ctimeMs > Date.now() - clockTickMs;
  return {
    size: stat.size,
    modified: stat.mtimeMs,
    changed: isUncertain ? uncertainTime : stat.ctimeMs,
    inode: stat.ino,
    crc,
  };
}
