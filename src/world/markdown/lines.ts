/** The lines of a text. A line ends with a line feed, a carriage return, or both. */
export interface Lines {
  readonly text: string;
  readonly count: number;
  /** A line without its end. */
  line(index: number): string;
  /** The offset of a line in the text, in UTF-16 units. For the index `count`, the length of the text. */
  start(index: number): number;
}

export function splitLines(text: string): Lines {
  const starts: number[] = [];
  const ends: number[] = [];
  // Texts without a lone carriage return, which is rare, are split by a faster pattern.
  const lineEnd = /\r(?!\n)/.test(text) ? /\r\n|\n|\r/g : /\r?\n/g;
  let from = 0;
  for (let match = lineEnd.exec(text); match !== null; match = lineEnd.exec(text)) {
    starts.push(from);
    ends.push(match.index);
    from = lineEnd.lastIndex;
  }
  if (from < text.length) {
    starts.push(from);
    ends.push(text.length);
  }
  return {
    text,
    count: starts.length,
    line: (index) => text.slice(starts[index] ?? text.length, ends[index] ?? text.length),
    start: (index) => starts[index] ?? text.length,
  };
}

const notBlank = /[^ \t\f\v\u00a0\ufeff]/;
export const isBlank = (line: string): boolean => !notBlank.test(line);

/** The number of columns of white space at an offset of a line. Tab stops are four columns apart. */
export function measureIndent(line: string, from = 0, column = 0): number {
  let currentColumn = column;
  for (let at = from; at < line.length; at++) {
    const unit = line.charCodeAt(at);
    if (unit === 32) currentColumn++;
    else if (unit === 9) currentColumn += 4 - (currentColumn % 4);
    else break;
  }
  return currentColumn - column;
}
