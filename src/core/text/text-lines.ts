import { sha256 } from '../id.ts';
import type { FileText } from '../material.ts';

/** The lines of a text, where CRLF is read as LF. A line end at the end of the text begins no further line. */
export function toFileText(text: string): FileText {
  return Object.freeze({
    kind: 'text',
    lines: Object.freeze(splitLines(text)),
    finalNewline: text.endsWith('\n'),
  });
}

/** Like `toFileText`, for a file that is not UTF-8. `raw` has one character per byte. */
export function toEncodedFileText(text: string, raw: readonly string[]): FileText {
  return Object.freeze({ ...toFileText(text), raw: Object.freeze(raw) });
}

/** Splits as `toFileText` does. */
export function splitLines(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

/**
 * SHA-256 of the bytes of these lines, joined by `\n`. For a range that ends one line past the last one, that line
 * counts as empty.
 */
export function spanHash({ lines, raw, masked }: FileText, start: number, end: number): string {
  if (masked !== undefined) return masked.hash(start, end);
  const own = (raw ?? lines).slice(start - 1, end);
  const text = [...own, ...(end > lines.length ? [''] : [])].join('\n');
  return sha256(raw === undefined ? text : Buffer.from(text, 'latin1'));
}
