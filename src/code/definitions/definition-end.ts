/** Where a definition ends, estimated without a parser: by brackets, by indentation, by the word that closes it. */
import type { Closing } from './definition-form.ts';

/** Maximum lines of a definition. A longer span is taken to be the rest of the file. */
const maxLength = 400;

/** Strings that end on the line on which they begin. */
const strings = /"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|'(?:[^'\\]|\\.)*'/g;
/** The same for languages in which a single quote encloses one character or marks a lifetime. */
const stringsAndCharacters = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.[^']{0,8})'/g;

/** The last line of the definition that begins at line `start`, both 1-based. */
export function findDefinitionEnd(lines: readonly string[], start: number, closing: Closing): number {
  const lastLine = Math.min(lines.length, start + maxLength - 1);
  switch (closing) {
    case 'braces':
    case 'lifetimes':
      return findBracketEnd(lines, start, lastLine, closing === 'lifetimes' ? stringsAndCharacters : strings);
    case 'indentation':
      return findIndentedEnd(lines, start, lastLine, /^[)\]}]/);
    case 'end':
      return findIndentedEnd(lines, start, lastLine, /^end\b/);
    case 'semicolon':
      return findLine(lines, start, lastLine, (line) => /;\s*(?:--.*)?$/.test(line));
    case 'heading': {
      const level = /^#+/.exec(lines[start - 1]!)?.[0].length ?? 1;
      const next = findLine(
        lines,
        start + 1,
        lastLine,
        (line) => (/^#+(?=\s)/.exec(line)?.[0].length ?? 9) <= level,
      );
      return /^#/.test(lines[next - 1] ?? '') && next > start
        ? findLastNonBlank(lines, start, next - 1)
        : findLastNonBlank(lines, start, next);
    }
  }
}

function findLine(
  lines: readonly string[],
  from: number,
  max: number,
  isLast: (line: string) => boolean,
): number {
  for (let at = from; at <= max; at += 1) if (isLast(lines[at - 1]!)) return at;
  return max;
}

/** Counts all brackets; a statement without brackets ends with its line, unless the next line continues it. */
function findBracketEnd(lines: readonly string[], start: number, max: number, quoted: RegExp): number {
  const indent = indentOf(lines[start - 1]!);
  let depth = 0;
  let angles = 0;
  let inComment = false;
  let sawBody = false;
  for (let at = start; at <= max; at += 1) {
    const code: StrippedLine | null = inComment
      ? closeComment(lines[at - 1]!, quoted)
      : stripLine(lines[at - 1]!, quoted);
    if (code === null) continue;
    inComment = code.opens;
    // A header may list type parameters over several lines, with commas between them.
    angles = Math.max(0, angles + countOpenAngles(code.text));
    for (const character of code.text) {
      if ('{[('.includes(character)) depth += 1;
      if ('}])'.includes(character)) depth -= 1;
      if (character === '{') sawBody = true;
    }
    if (sawBody) angles = 0;
    if (depth > 0) continue;
    const next = lines[at] ?? '';
    if (depth < 0 || /;\s*$/.test(code.text) || (angles === 0 && /,\s*$/.test(code.text))) return at;
    if (angles > 0) continue;
    if (sawBody && /\}\s*\)?\s*$/.test(code.text)) return at;
    const isContinued = /^\s*(?:[{.|&?:+=>*/]|->|where\b|throws\b|extends\b|implements\b|with\b)/.test(next);
    const unfinished =
      /(?:=>?|[|&+,(]|\\)\s*$/.test(code.text) || (indentOf(next) > indent && next.trim() !== '');
    if (!isContinued && !unfinished) return at;
  }
  return max;
}

/**
 * The number of angle brackets of types that open, minus those that close. Comparisons are not counted, since they have
 * spaces around them. `=>` and `->` are not counted, since `=` or `-` precedes the `>`.
 */
function countOpenAngles(code: string): number {
  return (
    (code.match(/(?:\w|[=(,]\s*)<(?![=<\s])|\w<$/g)?.length ?? 0) -
    (code.match(/(?<![=\-\s])>(?!=)|^\s*>/g)?.length ?? 0)
  );
}

/** Deeper indented lines belong to the definition, and so does the line that closes it. */
function findIndentedEnd(lines: readonly string[], start: number, max: number, closer: RegExp): number {
  const indent = indentOf(lines[start - 1]!);
  let depth = countOpenBrackets(lines[start - 1]!);
  let end = start;
  for (let at = start + 1; at <= max; at += 1) {
    const line = lines[at - 1]!;
    if (line.trim() === '') continue;
    const isDeeper = indentOf(line) > indent;
    if (depth <= 0 && !isDeeper) return closer.test(line.trim()) && indentOf(line) === indent ? at : end;
    depth += countOpenBrackets(line);
    end = at;
  }
  return end;
}

function countOpenBrackets(line: string): number {
  let depth = 0;
  for (const character of line.replace(strings, '""').replace(/#.*$/, ''))
    depth += '([{'.includes(character) ? 1 : ')]}'.includes(character) ? -1 : 0;
  return depth;
}

interface StrippedLine {
  readonly text: string;
  /** Whether a block comment continues on the next line. */
  readonly opens: boolean;
}

/**
 * A comment that goes on to the end of the line, or a line of a preprocessor. `#name` is a private name of JavaScript,
 * `#[` an attribute of Rust.
 */
const restOfLine =
  /(?:^|\s)(?:\/\/|#(?=[\s#]|$|(?:if|ifdef|ifndef|elif|else|endif|include|pragma|error|warning|undef|region|endregion)\b)).*$/;

/** A line without strings and comments, so that every bracket left is a real one. */
function stripLine(line: string, quoted: RegExp): StrippedLine {
  const text = line
    .replace(quoted, '""')
    .replace(/\/\*.*?\*\//g, '')
    .replace(restOfLine, '');
  const comment = text.indexOf('/*');
  return comment < 0
    ? { text: text.trimEnd(), opens: false }
    : { text: text.slice(0, comment).trimEnd(), opens: true };
}

/** The text after the comment that an earlier line opened; null if it is still open. */
function closeComment(line: string, quoted: RegExp): StrippedLine | null {
  const close = line.indexOf('*/');
  return close < 0 ? null : stripLine(line.slice(close + 2), quoted);
}

function findLastNonBlank(lines: readonly string[], start: number, from: number): number {
  let at = from;
  while (at > start && lines[at - 1]!.trim() === '') at -= 1;
  return at;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
