/** Reads ripgrep's JSON messages as they come, and keeps the first matches by path and line. */
import type { LineMatch } from '../../core/index.ts';

export interface GrepResult {
  readonly matches: readonly LineMatch[];
  /** Number of matching lines in text files within the scope. */
  readonly total: number;
  readonly files: number;
  /** The files with the most matches, each with the number of its matches. */
  readonly fullest: readonly (readonly [path: string, count: number])[];
  /** Matches that can't be shown: a line of megabytes, or a path that is not UTF-8. */
  readonly unshown: number;
  readonly binary: number;
  /** Whether ripgrep printed its summary, so that it ran to the end. */
  readonly summarised: boolean;
}

export interface MatchCollector {
  take(chunk: Buffer): void;
  /** Begins another search, over other files: the next output is from that search. */
  startSearch(wanted: (path: string) => boolean): void;
  finish(): GrepResult;
}

type Text = { readonly text?: string; readonly bytes?: string };
type Message =
  | { readonly type: 'begin'; readonly data: { readonly path: Text } }
  | {
      readonly type: 'match';
      readonly data: {
        readonly lines: Text;
        readonly line_number: number;
        readonly submatches: readonly { readonly start: number }[];
      };
    }
  | { readonly type: 'end'; readonly data: { readonly binary_offset: number | null } }
  | { readonly type: 'summary' };

/** Messages of more bytes are counted but not parsed. */
const maxMessageLength = 64 * 1024 * 1024;
/** Characters of a line that are shown. */
const maxShown = 400;
const maxBeforeMatch = 120;
const newline = 10;
/** The position of the byte that tells `match` from other messages: the first letter after `{"type":"`. */
const typeLetterAt = 9;
const letterM = 'm'.charCodeAt(0);

export function matchCollector(limit: number, firstWanted: (path: string) => boolean): MatchCollector {
  let isWanted = firstWanted;
  let lineMatches: LineMatch[] = [];
  const counts = new Map<string, number>();
  let total = 0;
  let unshown = 0;
  let binary = 0;
  let summarised = false;
  // The file being read: ripgrep prints the matches of one file together.
  let path: string | null = null;
  let isFileWanted = false;
  let fileMatches: LineMatch[] = [];
  let fileTotal = 0;
  let fileUnshown = 0;
  // The pieces of the message being read.
  let pieces: Buffer[] = [];
  let size = 0;

  const endFile = (isBinary: boolean) => {
    if (isFileWanted && isBinary) binary += 1;
    else if (isFileWanted) {
      total += fileTotal;
      unshown += path === null ? fileTotal : fileUnshown;
      if (path !== null && fileTotal > 0) counts.set(path, fileTotal);
      lineMatches.push(...fileMatches);
      if (lineMatches.length > 2 * limit + 1_000) lineMatches = keepFirst(lineMatches, limit);
    }
    isFileWanted = false;
    fileMatches = [];
    fileTotal = 0;
    fileUnshown = 0;
  };

  const readMessage = (line: Buffer) => {
    const isMatch = line[typeLetterAt] === letterM;
    if (isMatch && !isFileWanted) return;
    if (isMatch) fileTotal += 1;
    if (isMatch && (path === null || fileMatches.length >= limit)) return;
    const message = JSON.parse(line.toString('utf8')) as Message;
    if (message.type === 'begin') {
      const { text } = message.data.path;
      path = text === undefined ? null : text.replace(/^\.\//, '');
      isFileWanted = path === null || isWanted(path);
    } else if (message.type === 'match' && path !== null) {
      const { lines, line_number, submatches } = message.data;
      fileMatches.push(
        Object.freeze({ path, line: line_number, text: excerpt(lines, submatches[0]?.start ?? 0) }),
      );
    } else if (message.type === 'end') endFile(message.data.binary_offset !== null);
    else if (message.type === 'summary') summarised = true;
  };

  const endMessage = () => {
    if (size > maxMessageLength) {
      if (isFileWanted) {
        fileTotal += 1;
        fileUnshown += 1;
      }
    } else if (size > 0) readMessage(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces));
    pieces = [];
    size = 0;
  };

  const append = (piece: Buffer) => {
    size += piece.length;
    if (size > maxMessageLength) pieces = [];
    else if (piece.length > 0) pieces.push(piece);
  };

  return {
    take(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
        append(chunk.subarray(from, at));
        endMessage();
        from = at + 1;
      }
      append(chunk.subarray(from));
    },
    startSearch(nextWanted) {
      endFile(false);
      pieces = [];
      size = 0;
      isWanted = nextWanted;
    },
    finish() {
      endFile(false);
      const fullest = [...counts].sort(([a, m], [b, n]) => n - m || compare(a, b)).slice(0, 5);
      const matches = Object.freeze(keepFirst(lineMatches, limit));
      return { matches, total, files: counts.size, fullest, unshown, binary, summarised };
    },
  };
}

function keepFirst(matches: readonly LineMatch[], limit: number): LineMatch[] {
  return [...matches].sort((a, b) => compare(a.path, b.path) || a.line - b.line).slice(0, limit);
}

/** Compares code units, so that the order doesn't depend on the locale. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A long line is cut around its first match, whose position `start` is in bytes. */
function excerpt(lines: Text, start: number): string {
  const bytes = lines.text === undefined ? Buffer.from(lines.bytes ?? '', 'base64') : null;
  const text = (lines.text ?? new TextDecoder().decode(bytes!)).replace(/\r?\n$/, '');
  if (text.length <= maxShown) return text;
  const column = (bytes ?? Buffer.from(text)).subarray(0, start).toString('utf8').length;
  const from = Math.max(0, Math.min(column - maxBeforeMatch, text.length - maxShown));
  const end = from + maxShown;
  return `${from > 0 ? '… ' : ''}${text.slice(from, end).toWellFormed()}${end < text.length ? ' …' : ''}`;
}
