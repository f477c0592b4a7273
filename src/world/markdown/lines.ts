/** A text by its lines, which end with a line feed, a carriage return, or both. */
export interface Lines {
  readonly text: string;
  readonly count: number;
  /** A line without its end. */
  line(index: number): string;
  /** The offset of a line in the text, in UTF-16 units; for `count` the length of the text. */
  start(index: number): number;
}

export function linesOf(text: string): Lines {
  const starts: number[] = [];
  const ends: number[] = [];
  // A lone carriage return, as very old systems wrote it, is rare. Texts without one are split by a faster pattern.
  const feed = /\r(?!\n)/.test(text) ? /\r\n|\n|\r/g : /\r?\n/g;
  let from = 0;
  for (let found = feed.exec(text); found !== null; found = feed.exec(text)) {
    starts.push(from);
    ends.push(found.index);
    from = feed.lastIndex;
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

/** The columns of white space in a line from an offset; a tab reaches to the next multiple of four. */
export function indentOf(line: string, from = 0, column = 0): number {
  let reached = column;
  for (let at = from; at < line.length; at++) {
    const unit = line.charCodeAt(at);
    if (unit === 32) reached++;
    else if (unit === 9) reached += 4 - (reached % 4);
    else break;
  }
  return reached - column;
}
