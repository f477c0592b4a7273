/** Whether a source holds a piece of code or a quotation. */

import { findNamesInCode } from '../claim/terms.ts';
import { collapseSpaces, removeSpaces } from '../words/normal.ts';
import { type FoundTerm, findPart, segmentsOrNone } from './find-name.ts';
import { flatLines, type Source } from './source.ts';

/** Marks of an omission: `…`, `...` and placeholders. */
const gap = /\s*(?:\u2026|\.{3}|<[\p{L} _-]+>)\s*/u;

export function findCode(text: string, source: Source): FoundTerm | null {
  const plain = removeSpaces(text.replace(/["'`]/g, "'"));
  if (gap.test(text) && plain.length > 3 && source.denses.some((whole) => indexOfPiece(whole, plain, 0) >= 0))
    return { how: 'exact', segments: findSegments(plain, source) };
  const pieces = text
    .split(gap)
    .map((piece) => removeSpaces(piece.replace(/["'`]/g, "'")))
    .filter((piece) => piece !== '');
  if (pieces.length === 0) return { how: 'loose', segments: [] };
  const isWhole = pieces.length === 1 && !gap.test(text);
  for (const all of source.denses) {
    let from = 0;
    const inOrder = pieces.every((piece) => {
      const at = indexOfPiece(all, piece, from);
      from = at + piece.length;
      return at >= 0;
    });
    if (inOrder) return { how: isWhole ? 'exact' : 'loose', segments: findSegments(pieces[0]!, source) };
  }
  if (pieces.every((piece) => removeSpaces(source.known.text.replace(/["'`]/g, "'")).includes(piece)))
    return { how: 'known', segments: [] };
  const named = findNamesInCode(text);
  const literals = [...text.matchAll(/(["'])((?:\\.|(?!\1)[^\\\n])+\\?|\\)\1/g)].map(([, , inner]) => inner!);
  const numbers = text.match(/(?<![\p{L}\p{N}_.])\d+(?:\.\d+)?(?![\p{L}\p{N}_])/gu) ?? [];
  const whole = `${source.segments.map(({ text: given }) => given).join('\n')}\n${source.known.text}`;
  const isThere =
    named.every((name) => findPart(name, source) !== null || keywords.has(name)) &&
    literals.every((literal) => whole.toLowerCase().includes(literal.toLowerCase())) &&
    numbers.every((one) => new RegExp(`(?<![\\p{N}.])${RegExp.escape(one)}(?![\\p{N}])`, 'u').test(whole));
  if (isThere && isWhole && isAltered(text, source)) return null;
  if (named.length + literals.length + numbers.length === 0)
    // Only signs: their absence says little.
    return { how: 'loose', segments: [] };
  return isThere ? { how: 'loose', segments: segmentsOrNone(source.names.get(named[0] ?? '')) } : null;
}

const token = /[\p{L}_$][\p{L}\p{N}_$]*|\d+(?:\.\d+)?|[^\s\p{L}\p{N}]/gu;
const minLength = 4;

/** Whether the lines contain the code with exactly one word or number changed. */
function isAltered(text: string, source: Source): boolean {
  const own = text.match(token) ?? [];
  if (own.length < minLength) return false;
  return source.segments.some(({ text: given }) => {
    const tokens = given.match(token) ?? [];
    for (let from = 0; from + own.length <= tokens.length; from += 1) {
      let other = 0;
      for (let at = 0; at < own.length && other < 2; at += 1)
        if (own[at] !== tokens[from + at])
          other += /[\p{L}\p{N}]/u.test(own[at]!) && /[\p{L}\p{N}]/u.test(tokens[from + at]!) ? 1 : 2;
      if (other === 1) return true;
    }
    return false;
  });
}

/**
 * The place of a piece of code. A piece whose number continues at either end does not match: that is another number.
 */
function indexOfPiece(text: string, piece: string, from: number): number {
  for (let at = text.indexOf(piece, from); at >= 0; at = text.indexOf(piece, at + 1)) {
    const cutsBefore = /^\d/.test(piece) && /[\d.]/.test(text[at - 1] ?? '');
    const cutsBehind =
      /\d$/.test(piece) && /^\.?\d/.test(text.slice(at + piece.length, at + piece.length + 2));
    if (!cutsBefore && !cutsBehind) return at;
  }
  return -1;
}

const ends = /^[\p{L}\p{N}]+$/u;

/** The place of a quotation. A word does not match within a longer one: `de` does not occur in `mode`. */
function indexOfWord(text: string, piece: string, from: number): number {
  if (!ends.test(piece)) return text.indexOf(piece, from);
  for (let at = text.indexOf(piece, from); at >= 0; at = text.indexOf(piece, at + 1))
    if (!/[\p{L}\p{N}]/u.test(text[at - 1] ?? ' ') && !/[\p{L}\p{N}]/u.test(text[at + piece.length] ?? ' '))
      return at;
  return -1;
}

const keywords = new Set(
  'if else elif for while return def func function fn class new not and or in is true false null None True False nil undefined await async const let var int str string bool void self this type struct import from'.split(
    ' ',
  ),
);

function findSegments(piece: string, source: Source): readonly number[] {
  const found = source.segments.flatMap(({ text }, index) =>
    removeSpaces(text.replace(/["'`]/g, "'")).includes(piece) ? [index] : [],
  );
  if (found.length > 0) return found;
  const first = /[\p{L}_$][\p{L}\p{N}_$]*/u.exec(piece)?.[0];
  return first === undefined ? [] : segmentsOrNone(source.names.get(first));
}

/** A quotation of signs alone, which the lines must quote too. */
function findSigns(text: string, { segments }: Source): FoundTerm {
  const form = new RegExp(`(["'\`])${RegExp.escape(text)}\\1`, 'u');
  const found = segments.flatMap((segment, index) => (form.test(segment.text) ? [index] : []));
  return found.length > 0 ? { how: 'exact', segments: found } : { how: 'loose', segments: [] };
}

export function findQuote(text: string, source: Source): FoundTerm | null {
  const pieces = text
    .split(/\s*(?:\u2026|\.{3}|\[\.{3}\])\s*/)
    .map((piece) => flatLines(piece.replace(/\*\*|`/g, '')).replace(/[.,;:!?]+$/, ''))
    .filter((piece) => piece !== '');
  if (pieces.length === 0) return findSigns(text, source);
  const holds = (whole: string): boolean => {
    let from = 0;
    return pieces.every((piece) => {
      const at = indexOfWord(whole, piece, from);
      from = at + piece.length;
      return at >= 0;
    });
  };
  const plainFlats = source.flats.map((whole) => whole.replace(/\*\*|`/g, ''));
  if (source.flats.some(holds) || plainFlats.some(holds)) {
    const segments = source.segments.flatMap(({ text: given }, index) =>
      pieces.some((piece) => indexOfWord(flatLines(given).replace(/\*\*|`/g, ''), piece, 0) >= 0)
        ? [index]
        : [],
    );
    return { how: pieces.length === 1 ? 'exact' : 'loose', segments };
  }
  if (holds(collapseSpaces(source.known.text).toLowerCase())) return { how: 'known', segments: [] };
  // A text in code may be split over lines or contain placeholders: `"a " + b`, `"a {x}"`.
  const squeezed = pieces.map((piece) => piece.replace(/[^\p{L}\p{N}]+/gu, ''));
  const isSqueezed = source.flats.some((whole) => {
    const bare = whole.replace(/[^\p{L}\p{N}]+/gu, '');
    return squeezed.every((piece) => piece.length >= 6 && bare.includes(piece));
  });
  return isSqueezed ? { how: 'loose', segments: [] } : null;
}
