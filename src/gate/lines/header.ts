/** Finds the first lines of the definitions, sections or keys around some lines. They name the subject of the lines. */

const maxLines = 8;
const maxLinesAbove = 2_000;
const indentOf = (line: string): number => /^\s*/.exec(line)![0].replaceAll('\t', '    ').length;
const isHead = (line: string): boolean =>
  /\p{L}/u.test(line) &&
  !/^\s*(?:\/\/|\/\*|\*|#(?!\s*(?:include|if|define))|--|[)\]}]|return\b|else\b|elif\b|except\b|catch\b|finally\b|case\b)/.test(
    line,
  );

/**
 * The header of a line. `start` counts from 1. For Markdown: the headings above, and for a row of a table also its
 * titles.
 */
export function findHeader(lines: readonly string[], start: number, path: string): string {
  if (/\.(?:mdx?|markdown|rst|adoc)$/i.test(path)) return findHeadingsAbove(lines, start).join('\n');
  const found: string[] = [];
  let indent = findFirstIndent(lines, start);
  for (
    let at = start - 1;
    at >= 1 && at > start - maxLinesAbove && indent > 0 && found.length < maxLines;
    at -= 1
  ) {
    const line = lines[at - 1]!;
    if (line.trim() === '' || indentOf(line) >= indent || !isHead(line)) continue;
    found.unshift(line);
    indent = indentOf(line);
  }
  return found.join('\n');
}

/** The indent of the first line that is not blank. */
function findFirstIndent(lines: readonly string[], start: number): number {
  const first = lines.slice(start - 1, start + 40).find((line) => line.trim() !== '');
  return first === undefined ? 0 : indentOf(first);
}

function findHeadingsAbove(lines: readonly string[], start: number): readonly string[] {
  const found: string[] = [];
  // Lines that begin with a heading are not below one of the same level.
  let level = /^(#{1,6})\s/.exec(lines[start - 1] ?? '')?.[1]?.length ?? 7;
  const isRow = /^\s*\|/.test(lines[start - 1] ?? '');
  for (let at = start - 1; at >= 1 && level > 1; at -= 1) {
    const line = lines[at - 1]!;
    const marks = /^(#{1,6})\s/.exec(line)?.[1];
    if (marks !== undefined && marks.length < level) {
      found.unshift(line);
      level = marks.length;
    }
    if (isRow && found.length === 0 && /^\s*\|?\s*:?-+/.test(lines[at] ?? '') && /^\s*\|/.test(line))
      found.unshift(line);
  }
  return found;
}
