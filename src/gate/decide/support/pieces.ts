/**
 * Takes a sentence apart into its words, figures and times, as far as one of them may stand for one of another
 * sentence.
 */
import { findFigures, findWordFigures } from '../../claim/figures.ts';
import { findMoments } from '../../claim/times.ts';
import { unifySpelling } from '../../words/words.ts';
import { isSame, type Token } from '../align/tokens.ts';

/** A time, a figure or a word; names are one word, and each character of a script without spaces. */
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
  const words = [...masked.matchAll(word)]
    .map(({ index, 0: text }) => createToken({ text, start: index, end: index + text.length }))
    .filter((one) => !values.some(({ at, end }) => one.at < end && one.end > at));
  return [...words, ...values].toSorted((a, b) => a.at - b.at);
}

const dense = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}]';
const word = new RegExp(
  `${dense}|\\p{N}+(?:[.:]\\p{N}+)+|(?:(?!${dense})[\\p{L}\\p{M}\\p{N}_])+(?:['’]\\p{L}+)?`,
  'gu',
);

const createToken = ({ text, start, end }: { text: string; start: number; end: number }): Token => ({
  ...{ text, base: toForm(text), at: start, end },
  ...{ role: '', ownRole: '', amount: '', isDenied: false, isInName: false, isSetAside: false },
});

/** One form for singular and plural, as a verb has them too. Tense, degree and all other endings make another word. */
const toForm = (text: string): string => {
  const plain = text.toLowerCase().replace(/['’]s?$/, '');
  const alike = sameForms.get(plain);
  if (alike !== undefined) return alike;
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

/** Without the targets of links, tags and comments; what stays keeps its place. */
const blankMarkup = (text: string): string =>
  text.replace(
    /(?<=\])\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)|(?<=\])\[[^\]]*\]|<\/?\p{L}[^<>]*>|https?:\/\/[^\s)\]>]+|<!--.*?-->/giu,
    (found) => ' '.repeat(found.length),
  );

/** `1.500` is one thousand and five hundred in most languages, and one and a half in English. */
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
  return isValue ? isSame(one, other, '') : one.base === other.base;
};
