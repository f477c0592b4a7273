/** Whether a text mentions something: exactly as written, or in a similar form, which proves nothing. */
import { normalizeUnicode } from '../words/normal.ts';
import { isGeneric, isIdle, stem } from '../words/words.ts';

export interface Occurrences {
  /** Number of lines that contain it as written. A word in lower case matches any case. */
  readonly matches: number;
  /** The number of the first of these lines, from 1; 0 is the path. */
  readonly first: number | null;
  /** Only similar forms occur: other capitals, another ending, other separators. */
  readonly isNear: boolean;
}

/** Returns a function that looks for the same text in one file after another. */
export function createOccurrenceFinder(
  wanted: string,
): (path: string, lines: readonly string[]) => Occurrences {
  const text = normalizeUnicode(wanted).trim();
  const exact = createExactForm(text);
  const near = createSimilarForms(text);
  return (path, lines) => {
    const whole = normalizeUnicode(lines.join('\n'));
    const starts = [...whole.matchAll(exact)].map(({ index }) => countLine(whole, index));
    const numbers = [
      ...new Set([...(createExactForm(text).test(normalizeUnicode(path)) ? [0] : []), ...starts]),
    ];
    const isNear =
      numbers.length === 0 &&
      near.some((forms) => forms.every((form) => form.test(whole) || form.test(path)));
    return { matches: numbers.length, first: numbers[0] ?? null, isNear };
  };
}

const countLine = (text: string, index: number): number => text.slice(0, index).split('\n').length;

/** A pattern for a text as written. Its words may be on two lines, after the signs of a quote or a list. */
function createExactForm(text: string): RegExp {
  const form = text.split(/\s+/).map(RegExp.escape).join('[\\s>*#]+');
  const [before, after] = [isWordSign(text[0]), isWordSign(text.at(-1))];
  return new RegExp(
    `${before ? '(?<![\\p{L}\\p{N}_])' : ''}${form}${after ? '(?![\\p{L}\\p{N}_])' : ''}`,
    /\p{Lu}/u.test(text) ? 'gu' : 'giu',
  );
}

const isWordSign = (sign: string | undefined): boolean => sign !== undefined && /[\p{L}\p{N}_]/u.test(sign);

const maxShort = 4;

/** Similar forms of a text. Each entry is a list of patterns, all of which one text must match. */
function createSimilarForms(text: string): readonly (readonly RegExp[])[] {
  const parts = text
    .replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== '');
  const words = parts.filter((part) => parts.length === 1 || !(isIdle(part) || isGeneric(part)));
  if (words.length === 0) return [[new RegExp(RegExp.escape(text), 'iu')]];
  const together = new RegExp(parts.map(RegExp.escape).join('[\\s_./:-]*'), 'iu');
  const isShort = parts.join('').length <= maxShort;
  // `light house` for `lighthouse`.
  const apart =
    parts.length === 1 && !isShort ? [[new RegExp([...text].map(RegExp.escape).join('[\\s_-]?'), 'iu')]] : [];
  const own = isShort ? [] : [[together]];
  // `mTLS` for `TLS`, and `tls` for it.
  const short = [new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(text)}(?![\\p{L}\\p{N}])`, 'iu')];
  const shorts = isShort
    ? [short, ...(/\p{Lu}/u.test(text) ? [[new RegExp(RegExp.escape(text), 'u')]] : [])]
    : [];
  const stems = words.map(
    (word) => new RegExp(`(?<!\\p{L})${RegExp.escape(stem(word))}\\p{L}{0,4}(?!\\p{L})`, 'iu'),
  );
  return [...own, ...apart, ...shorts, stems];
}
