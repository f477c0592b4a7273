/**
 * Splits a sentence into tokens for an exact comparison: all words, figures and times.
 */
import { findFigures, findWordFigures } from '../../claim/figures.ts';
import { findMoments } from '../../claim/times.ts';
import { unifySpelling } from '../../words/words.ts';
import { isSameToken, type Token } from '../align/tokens.ts';

/** The times, figures and words of a text. In scripts without spaces, each character is a word. */
export function splitTokens(text: string): readonly Token[] {
  const masked = blankMarkup(text);
  const moments = findMoments(masked).map((moment) => ({ ...createToken(moment), moment }));
  const figures = [...findFigures(masked), ...findWordFigures(masked)].map((figure) => ({
    ...createToken(figure),
    figure,
  }));
  const values: Token[] = [];
  for (const one of [...moments, ...figures])
    if (!values.some(({ at, end }) => one.at < end && one.end > at)) values.push(one);
  const words = [...masked.matchAll(wordForm)]
    .map(({ index, 0: text }) => createToken({ text, start: index, end: index + text.length }))
    .filter((one) => !values.some(({ at, end }) => one.at < end && one.end > at));
  return [...words, ...values].toSorted((a, b) => a.at - b.at);
}

const denseScript = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}]';
const wordForm = new RegExp(
  `${denseScript}|\\p{N}+(?:[.:]\\p{N}+)+|(?:(?!${denseScript})[\\p{L}\\p{M}\\p{N}_])+(?:['’]\\p{L}+)?`,
  'gu',
);

const createToken = ({ text, start, end }: { text: string; start: number; end: number }): Token => ({
  ...{ text, base: toForm(text), at: start, end },
  ...{ role: '', ownRole: '', amount: '', isDenied: false, isInName: false, isSetAside: false },
});

/** One form for singular and plural of nouns and verbs. Words that differ in tense or degree stay different. */
const toForm = (text: string): string => {
  const plain = text.toLowerCase().replace(/['’]s?$/, '');
  const sameForm = sameForms.get(plain);
  if (sameForm !== undefined) return sameForm;
  // `HTTPS` is not several `HTTP`.
  if (plain.length < 4 || /^\p{Lu}+$/u.test(text)) return plain;
  return unifySpelling(plain)
    .replace(/ies$/, 'y')
    .replace(/(?<=s|x|z|ch|sh)es$/, '')
    .replace(/(?<![su])s$/, '');
};
const sameForms = new Map([
  ['are', 'is'],
  ['were', 'was'],
  ['have', 'has'],
  ['do', 'does'],
  ['an', 'a'],
]);

/** Replaces link targets, tags and comments by spaces, so that all other text keeps its position. */
const blankMarkup = (text: string): string =>
  text.replace(
    /(?<=\])\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)|(?<=\])\[[^\]]*\]|<\/?\p{L}[^<>]*>|https?:\/\/[^\s)\]>]+|<!--.*?-->/giu,
    (found) => ' '.repeat(found.length),
  );

/** Whether a figure such as `1.500` has points as separators: 1500 in most languages, 1.5 in English. */
const isGrouped = ({ text }: Token): boolean => /^\d{1,3}(?:\.\d{3})+(?!\d)/.test(text);
const isSameGrouped = (one: Token, other: Token): boolean =>
  isGrouped(one)
    ? one.text === other.text || one.figure?.otherwise === other.figure?.number
    : isSameGrouped(other, one);

export const isAlike = (one: Token, other: Token): boolean => {
  const [isValue, isOther] = [one, other].map(
    ({ figure, moment }) => figure !== undefined || moment !== undefined,
  );
  if (isValue !== isOther) return one.text === other.text;
  if (isValue && (isGrouped(one) || isGrouped(other))) return isSameGrouped(one, other);
  return isValue ? isSameToken(one, other, '') : one.base === other.base;
};
