/** The two results of reading a file: its text, or why it cannot be read. */
import { type FileText, splitLines, toEncodedFileText, toFileText, type Unreadable } from '../core/index.ts';
import { decode } from '../search/index.ts';

export function toTextReply(path: string, bytes: Buffer): FileText | Unreadable {
  const text = decodeText(bytes);
  if (text === null) return refuse('not_text', `${path} is binary.`);
  return text;
}

export function refuseTooLarge(path: string, bytes: number, max: number): Unreadable {
  return refuse('too_large', `${path} is too large to be read as text: ${bytes} bytes, at most ${max}.`);
}

/** Control characters, which a hostile file name may contain, are replaced, so that the message stays on one line. */
export function refuse(reason: Unreadable['reason'], message: string): Unreadable {
  return Object.freeze({ kind: 'unreadable', reason, message: message.replace(/\p{Cc}/gu, '\u{FFFD}') });
}

/**
 * Decodes a file to lines without their terminators; null if it is binary. CRLF is read as LF, and a byte order mark is
 * dropped. In a UTF-8 file, bytes that are not UTF-8 become U+FFFD, so that the rest can be cited. A terminator at the
 * end begins no further line.
 */
function decodeText(bytes: Buffer): FileText | null {
  const decoded = decode(bytes);
  if (decoded === null) return null;
  const { text, encoding } = decoded;
  if (encoding === 'utf-8')
    return text.includes('\uFFFD') ? toEncodedFileText(text, rawLines(bytes)) : toFileText(text);
  return toEncodedFileText(
    text,
    encoding.startsWith('utf-16') ? rawLinesOfUtf16(text, encoding) : rawLines(bytes),
  );
}

/** In all encodings that are read except UTF-16, the byte 0x0A is always a line end. */
function rawLines(bytes: Buffer): string[] {
  const hasByteOrderMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return splitLines((hasByteOrderMark ? bytes.subarray(3) : bytes).toString('latin1'));
}

function rawLinesOfUtf16(text: string, encoding: string): string[] {
  return splitLines(text).map((line) => {
    const bytes = Buffer.from(line, 'utf16le');
    return (encoding === 'utf-16be' ? bytes.swap16() : bytes).toString('latin1');
  });
}
