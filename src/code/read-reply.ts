/** The two results of reading a file: its text, or why it cannot be read. */
import { type FileText, splitEncodedLines, splitLines, textLines, type Unreadable } from '../core/index.ts';
import { decode } from '../search/index.ts';

export function textOrRefusal(path: string, bytes: Buffer): FileText | Unreadable {
  const text = decodeText(bytes);
  if (text === null) return refuse('not_text', `${path} is binary.`);
  return text;
}

export function tooLarge(path: string, bytes: number, max: number): Unreadable {
  return refuse('too_large', `${path} is too large to be read as text: ${bytes} bytes, at most ${max}.`);
}

/** Control characters, which a hostile file name may contain, are replaced, so that the message stays on one line. */
export function refuse(reason: Unreadable['reason'], message: string): Unreadable {
  return Object.freeze({ kind: 'unreadable', reason, message: message.replace(/\p{Cc}/gu, '\u{FFFD}') });
}

/**
 * The lines of a file's bytes, without their terminators, CRLF read as LF; null if it is no text. A byte
 * order mark is dropped, other encodings are read, and in a UTF-8 file bytes that are not UTF-8 show as
 * U+FFFD, so that the rest can be cited. A terminator at the end begins no further line.
 */
function decodeText(bytes: Buffer): FileText | null {
  const found = decode(bytes);
  if (found === null) return null;
  const { text, encoding } = found;
  if (encoding === 'utf-8')
    return text.includes('\uFFFD') ? splitEncodedLines(text, rawLines(bytes)) : textLines(text);
  return splitEncodedLines(text, encoding.startsWith('utf-16') ? wideLines(text, encoding) : rawLines(bytes));
}

/** In every encoding that is read here except UTF-16, the byte of a line's end means nothing else. */
function rawLines(bytes: Buffer): string[] {
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return splitLines((marked ? bytes.subarray(3) : bytes).toString('latin1'));
}

function wideLines(text: string, encoding: string): string[] {
  return splitLines(text).map((line) => {
    const bytes = Buffer.from(line, 'utf16le');
    return (encoding === 'utf-16be' ? bytes.swap16() : bytes).toString('latin1');
  });
}
