/**
 * Makes text of repositories, models and pages safe to show. Such text may contain anything; only text that no terminal
 * obeys and no Markdown interprets may reach a reader.
 */

/**
 * Control characters except tab and newline, marks that reorder text on the screen, and text that models see
 * and readers don't: tags outside of flags, and runs of characters without width.
 */
const unsafe =
  /(\u{1F3F4}[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{3,6}\u{E007F})|(?![\t\n])\p{Cc}|[\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2061-\u2064\u2066-\u206F\uFFF9-\uFFFB]|[\u{E0000}-\u{E007F}]|\p{DI}{3,}/gu;

/** The text without unsafe characters. */
export function toPlainText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(unsafe, '$1');
}

/** The text as one line without unsafe characters. */
export function plainLine(text: string): string {
  return toPlainText(text).replace(/\s+/g, ' ').trim();
}

/** A line of at most `length` characters. An ellipsis marks a cut. */
export function shortLine(text: string, length: number): string {
  const points = [...plainLine(text)];
  return points.length > length ? `${points.slice(0, length - 1).join('')}…` : points.join('');
}

/** A fenced block that nothing in the text can close: its fence is longer than any run of backticks in it. */
export function fenceText(text: string): string {
  const fence = '`'.repeat(Math.max(3, longestBacktickRun(text) + 1));
  return `${fence}text\n${toPlainText(text).replace(/\n+$/, '')}\n${fence}`;
}

/** A code span of one line that nothing in the text can close. */
export function formatCodeSpan(text: string): string {
  const line = plainLine(text);
  const ticks = '`'.repeat(longestBacktickRun(line) + 1);
  if (line === '') return '` `';
  // A space keeps a backtick at either end from joining the ticks.
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${ticks}${pad}${line}${pad}${ticks}`;
}

function longestBacktickRun(text: string): number {
  return Math.max(0, ...(toPlainText(text).match(/`+/g) ?? []).map((run) => run.length));
}

const shortEscapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};
const unshowable = /^ | $|\\|\p{Cc}|\p{Cs}|[\u2028\u2029\uFFF9-\uFFFB]|\p{Bidi_C}|\p{DI}/gu;

/** A reversible one-line form of a file name: characters that break or hide text are escaped as in C. */
export function escapePath(path: string): string {
  return path.replace(
    unshowable,
    (point) => shortEscapes[point] ?? `\\u{${point.codePointAt(0)!.toString(16)}}`,
  );
}

/** The file name of a form that `escapePath` made. */
export function unescapePath(shown: string): string {
  return shown.replace(/\\(?:([\\nrt])|u\{([0-9a-f]{1,6})\})/g, (whole, short?: string, hex?: string) => {
    if (short !== undefined) return { '\\': '\\', n: '\n', r: '\r', t: '\t' }[short] ?? whole;
    const point = Number.parseInt(hex!, 16);
    return point > 0x10ffff ? whole : String.fromCodePoint(point);
  });
}

/** A number with its noun, which is in the singular after 1: `1 page`, `2 pages`. */
export const formatCount = (count: number, singular: string, plural = `${singular}s`): string =>
  `${count} ${count === 1 ? singular : plural}`;
