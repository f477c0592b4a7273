import type { FileText } from './material.ts';

/** The lines of a text, CRLF read as LF. A terminator at the end begins no further line. */
export function textLines(text: string): FileText {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return Object.freeze({
    kind: 'text',
    lines: Object.freeze(lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))),
    finalNewline: text.endsWith('\n'),
  });
}
