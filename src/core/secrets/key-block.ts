/** Private keys in blocks (RFC 7468, OpenPGP, PuTTY): over several lines, within a literal, or cut off. */
import type { SecretRule, SecretSpan } from './rule.ts';

const kind = 'private_key';
/** Maximum length of one key, with everything between its lines. */
const maxLength = 24_000;
const opening = /-----BEGIN [A-Z0-9 _-]{0,60}PRIVATE KEY(?: BLOCK)?-----/iy;
const closing = /-----END [A-Z0-9 _-]{0,60}PRIVATE KEY(?: BLOCK)?-----/iy;
/** A line of a key, with the signs that may surround it: quotes, escapes, signs of a diff, comments. */
const bodyLine =
  /^[\s"'`+>#*|,;\\/-]*(?:[A-Za-z0-9+/=]{12,}|[A-Za-z0-9+/]{1,12}={0,2})[\s"'`+,;\\)]*(?:\\[nr]["'`\s+,;)]*)?$/;
const header = /^[\s"'`+>#*|]*(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash): [^\n]{1,100}$/;
const blank = /^[\s"'`+>#*|\\nr]*$/;

/** Whether some key text follows the marker. A program that merely names the marker contains no key. */
function holdsKey(body: string): boolean {
  const runs = body.replace(/\\[nr]/g, '\n').match(/[A-Za-z0-9+/]{16,}={0,2}/g) ?? [];
  return runs.reduce((sum, run) => sum + run.length, 0) >= 24;
}

function findByOpening(text: string, at: number): SecretSpan | null {
  opening.lastIndex = at;
  const match = opening.exec(text);
  if (match === null) return null;
  const start = at + match[0].length;
  const searched = text.slice(start, start + maxLength);
  const end = searched.search(/-----(?:END|BEGIN) /i);
  if (end >= 0) {
    const body = searched.slice(0, end);
    return holdsKey(body) ? trimSpan(text, start, start + end) : null;
  }
  // Without an end marker, the key extends over all lines that look like lines of a key.
  let last = lineEnd(text, start);
  while (last < text.length && last - start < maxLength) {
    const next = lineEnd(text, last + 1);
    const line = text.slice(last + 1, next);
    if (!bodyLine.test(line) && !header.test(line) && !blank.test(line)) break;
    last = next;
  }
  return holdsKey(text.slice(start, last)) ? trimSpan(text, start, last) : null;
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at < 0 ? text.length : at;
}

/** Finds the key in a block that lost its beginning: in the lines above its end. */
function findByClosing(text: string, at: number): SecretSpan | null {
  closing.lastIndex = at;
  if (!closing.test(text)) return null;
  // Goes upwards as long as the lines are lines of a key.
  let start = at;
  while (start > 0 && at - start < maxLength) {
    const above = text.lastIndexOf('\n', start - 2) + 1;
    const line = text.slice(above, start === at ? at : start - 1);
    if (line !== '' && !bodyLine.test(line) && !header.test(line)) break;
    start = above;
  }
  return holdsKey(text.slice(start, at)) ? trimSpan(text, start, at) : null;
}

function trimSpan(text: string, start: number, end: number): SecretSpan {
  const body = text.slice(start, end);
  return { start: start + body.length - body.trimStart().length, end: start + body.trimEnd().length, kind };
}

export const keyBlockRules: readonly SecretRule[] = [
  { kind, keywords: ['-----BEGIN '], find: findByOpening },
  { kind, keywords: ['-----END '], find: findByClosing },
  {
    kind,
    keywords: ['Private-Lines:'],
    find(text, at) {
      const match =
        /Private-Lines: *\d+\r?\n([A-Za-z0-9+/=]{4,}(?:(?:\r\n?|\n)[A-Za-z0-9+/=]{4,})*(?:\r\n?|\n)?)/y;
      match.lastIndex = at;
      const found = match.exec(text);
      if (found === null) return null;
      const end = at + found[0].trimEnd().length;
      return { start: at + found[0].length - found[1]!.length, end, kind };
    },
  },
];
