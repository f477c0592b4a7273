/** Reads files of a vault: pages as a whole, attachments in pieces, since they may have any size. */
import { isUtf8 } from 'node:buffer';
import { createHash, hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, type Stats } from 'node:fs';
import { messageOf } from '../../core/index.ts';

/** Maximum bytes of a note. */
export const maxFileBytes = 8 * 1024 * 1024;
const notUtf8 =
  'it is not UTF-8; it is kept as an attachment, which no search reads: save it as UTF-8 and import it again';

export type PageFile =
  | { readonly kind: 'page'; readonly text: string; readonly hash: string }
  | { readonly kind: 'not_utf8' | 'too_large' | 'unreadable'; readonly message: string };

/**
 * Opens a file for `work`. A symbolic link that has replaced it since the listing is not followed, and a pipe doesn't
 * block.
 */
function withFile<Value>(place: string, work: (file: number, stats: Stats) => Value): Value {
  const file = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    return work(file, fstatSync(file));
  } finally {
    closeSync(file);
  }
}

export function readPageFile(place: string): PageFile {
  try {
    return withFile(place, (file, stats) => {
      if (!stats.isFile()) return { kind: 'unreadable', message: 'it is no ordinary file' };
      if (stats.size > maxFileBytes)
        return { kind: 'too_large', message: `it has ${stats.size} bytes, more than ${maxFileBytes}` };
      const bytes = readFileSync(file);
      if (!isUtf8(bytes)) return { kind: 'not_utf8', message: notUtf8 };
      return { kind: 'page', text: bytes.toString('utf8'), hash: hash('sha256', bytes) };
    });
  } catch (error) {
    return { kind: 'unreadable', message: messageOf(error) };
  }
}

export interface FileStamp {
  readonly bytes: number;
  /** Time of the last change of content, in milliseconds since the Unix epoch. */
  readonly modified: number;
}

export type AttachmentFile = (FileStamp & { readonly hash: string }) | { readonly message: string };

/**
 * Reads size, time and hash of an attachment. If size and time equal those of `known`, returns `known` without reading.
 */
export function readAttachment(
  place: string,
  known: (FileStamp & { readonly hash: string }) | null,
): AttachmentFile {
  try {
    return withFile(place, (file, stats) => {
      if (!stats.isFile()) return { message: 'it is no ordinary file' };
      const { size: bytes, mtimeMs: modified } = stats;
      if (known !== null && known.bytes === bytes && known.modified === modified) return known;
      return { bytes, modified, hash: hashOf(file) };
    });
  } catch (error) {
    return { message: messageOf(error) };
  }
}

function hashOf(file: number): string {
  const sum = createHash('sha256');
  const piece = Buffer.allocUnsafe(1024 * 1024);
  for (let read = readSync(file, piece); read > 0; read = readSync(file, piece))
    sum.update(piece.subarray(0, read));
  return sum.digest('hex');
}
