import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { replaceFile } from './replace-file.ts';

/**
 * Files beside the segments that can be derived again: a line with the kind and a checksum, then the content. A file
 * that is missing, damaged or of another kind reads as null.
 */

export function writeChecksummed(path: string, kind: string, body: Uint8Array): void {
  replaceFile(path, Buffer.concat([Buffer.from(`${kind} ${crc32(body)}\n`), body]));
}

export function readChecksummed(path: string, kind: string): Buffer | null {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return null;
  }
  const newline = bytes.indexOf(10);
  const body = bytes.subarray(newline + 1);
  return newline > 0 && bytes.toString('utf8', 0, newline) === `${kind} ${crc32(body)}` ? body : null;
}
