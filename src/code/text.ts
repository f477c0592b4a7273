import { type FileText, textLines } from '../core/index.ts';

/**
 * The lines of a file's bytes, without their terminators, CRLF read as LF; null where it is binary, told by a
 * NUL byte. A byte order mark is dropped, UTF-16 with one is read, and bytes that are not UTF-8 show as U+FFFD,
 * so that the rest of the file can be cited. A terminator at the end begins no further line.
 */
export function decodeText(bytes: Buffer): FileText | null {
  const text = decode(bytes);
  return text === null ? null : textLines(text);
}

function decode(bytes: Buffer): string | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  if (bytes.includes(0)) return null;
  return new TextDecoder('utf-8').decode(bytes);
}
