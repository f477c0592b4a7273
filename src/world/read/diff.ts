import { loadDiff } from './diff-library.ts';

/** Number of unchanged lines shown around a change. */
const context = 2;

/**
 * Formats the difference of two texts for people: removed lines begin with `- `, added lines with `+ `, others with two
 * spaces. A changed line begins with `~ `; its removed text is `[-so-]` and its added text `{+so+}`. `…` marks omitted
 * lines.
 */
export function formatDiff(before: string | null, after: string | null): string {
  const parts = loadDiff().diffLines(before ?? '', after ?? '');
  const lines: string[] = [];
  parts.forEach((part, index) => {
    const text = splitLines(part.value);
    if (part.removed === true) {
      const next = parts[index + 1];
      const addedLines = next?.added === true ? splitLines(next.value) : [];
      if (text.length === 1 && addedLines.length === 1)
        lines.push(`~ ${showChangedLine(text[0]!, addedLines[0]!)}`);
      else lines.push(...text.map((line) => `- ${line}`), ...addedLines.map((line) => `+ ${line}`));
    } else if (part.added === true) {
      if (parts[index - 1]?.removed !== true) lines.push(...text.map((line) => `+ ${line}`));
    } else {
      lines.push(...shortenLines(text, index === 0, index === parts.length - 1).map((line) => `  ${line}`));
    }
  });
  return lines.join('\n');
}

function splitLines(text: string): readonly string[] {
  // Terminals show a lone carriage return as a line end, so the text after it is a line of its own.
  const lines = text.split(/\r\n?|\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function shortenLines(lines: readonly string[], first: boolean, last: boolean): readonly string[] {
  const head = first ? 0 : context;
  const tail = last ? 0 : context;
  if (lines.length <= head + tail + 1) return lines;
  return [...lines.slice(0, head), '…', ...lines.slice(lines.length - tail)];
}

function showChangedLine(before: string, after: string): string {
  return loadDiff()
    .diffWordsWithSpace(before, after)
    .map(({ value, added, removed }) => (added ? `{+${value}+}` : removed ? `[-${value}-]` : value))
    .join('');
}
