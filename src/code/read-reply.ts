/** The two results of reading a file: its text, or why it cannot be read. */
import type { FileText, Unreadable } from '../core/index.ts';
import { decodeText } from './text.ts';

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
