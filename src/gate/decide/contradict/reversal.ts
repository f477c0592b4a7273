/** Finds a sentence of the lines that nearly equals the claim, but says the opposite. */

import type { Reading } from '../../claim/reading.ts';
import type { Source } from '../../lines/source.ts';
import { isEnglish } from '../../words/languages.ts';
import { findOpposites, isSameInProse } from '../../words/opposites.ts';
import { mayDeny } from '../../words/turns.ts';
import { isGeneric, isIdle, toComparable } from '../../words/words.ts';
import { findPassive } from '../support/word-order.ts';

const splitPlainWords = (text: string): readonly string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}_$]+(?:[.'-][\p{L}\p{N}_$]+)*/gu) ?? [])
    .map((word) => word.replace(/n't$/, ' not'))
    .flatMap((word) => word.split(' '))
    .filter((word) => word !== '');

const negatingWords = new Set([
  'not',
  'no',
  'never',
  'none',
  'nothing',
  'without',
  'cannot',
  'neither',
  'nor',
  'nicht',
  'kein',
  'keine',
  'nie',
  'ohne',
]);
const countingWords = new Set([
  'all',
  'every',
  'each',
  'some',
  'any',
  'most',
  'few',
  'many',
  'several',
  'always',
  'never',
  'sometimes',
  'often',
  'rarely',
  'only',
  'both',
  'none',
  'usually',
  'no',
  'one',
]);

/** A sentence of the lines that equals the claim except for a negation, an opposite, or exchanged roles. */
export function findReversal(reading: Reading, source: Source): string | null {
  const claim = splitPlainWords(reading.text);
  if (claim.length < 4) return null;
  for (const { text, isCode } of source.segments) {
    if (isCode && !/\p{L}{3,} \p{L}{2,} \p{L}{2,}/u.test(text)) continue;
    const line = splitPlainWords(text.replace(/\bhttps?:\/\/[^\s)\]>]+/g, ' '));
    const pairs = findCommonWords(claim, line);
    if (pairs.length / claim.length < 0.4) continue;
    const why = compareLine(claim, line, pairs, isEnglish(`${text} ${reading.text}`));
    if (why !== null) return why;
  }
  return null;
}

function compareLine(
  claim: readonly string[],
  line: readonly string[],
  pairs: readonly (readonly [number, number])[],
  /** Whether the order of words says who does it to whom. */
  isOrdered: boolean,
): string | null {
  const [first, last] = [pairs[0]!, pairs.at(-1)!];
  const inLine = new Set(pairs.map(([, at]) => at));
  const inClaim = new Set(pairs.map(([at]) => at));
  const claimOnly = claim.flatMap((word, at) => (inClaim.has(at) ? [] : [{ word, at }]));
  const lineOnly = line.flatMap((word, at) =>
    !inLine.has(at) && at >= first[1] - 1 && at <= last[1] + 1 ? [{ word, at }] : [],
  );
  const listWords = (words: readonly { word: string }[]): readonly string[] => words.map(({ word }) => word);
  const [claimWords, lineWords] = [listWords(claimOnly), listWords(lineOnly)];
  const listContentWords = (words: readonly string[]): readonly string[] =>
    words.filter((word) => !isIdle(word) && !negatingWords.has(word) && !countingWords.has(word));
  const isClose = pairs.length / claim.length >= 0.75;
  const [claimNegations, lineNegations] = [
    claimWords.filter((word) => negatingWords.has(word)).length,
    lineWords.filter((word) => negatingWords.has(word)).length,
  ];
  for (const word of claimWords) {
    // `not affected` says what `unaffected` does.
    if (claimNegations % 2 !== lineNegations % 2) break;
    const other = findOpposites(word).find((one) => lineWords.includes(one) && !isSameInProse(word, one));
    if (
      other !== undefined &&
      isClose &&
      listContentWords(claimWords).length <= 2 &&
      listContentWords(lineWords).length <= 3
    )
      return `the lines say "${other}" where the claim says "${word}"`;
  }
  const contentBases = [
    listContentWords(claimWords).map(toComparable),
    listContentWords(lineWords).map(toComparable),
  ] as const;
  const isSameContent =
    contentBases[0].every((word) => contentBases[1].includes(word)) &&
    contentBases[1].length - contentBases[0].length <= 2;
  // The line may deny by another word: `rejects` for `no longer lets in`.
  const isDeniedOtherwise =
    claimNegations > lineNegations && lineWords.some((word) => mayDeny(word) && !negatingWords.has(word));
  if (claimNegations % 2 !== lineNegations % 2 && isSameContent && isClose && !isDeniedOtherwise)
    return claimNegations > lineNegations
      ? 'the lines say so without the negation'
      : 'the lines say that it is not so';
  const [claimCount, lineCount] = [
    claimWords.find((word) => countingWords.has(word)),
    lineWords.find((word) => countingWords.has(word)),
  ];
  if (
    claimCount !== undefined &&
    lineCount !== undefined &&
    claimCount !== lineCount &&
    !isSameInProse(claimCount, lineCount) &&
    isSameContent &&
    isClose
  )
    return `the lines say "${lineCount}" where the claim says "${claimCount}"`;
  // The lines and the claim have the same words, and two of them are exchanged.
  const listPlainContent = (words: readonly string[]): readonly string[] =>
    words.filter((word) => !isIdle(word) && !isGeneric(word));
  const exchangedWords = listPlainContent(claimWords).filter((word) => line.includes(word));
  if (
    isOrdered &&
    exchangedWords.length > 0 &&
    listPlainContent(claimWords).every((word) => line.includes(word)) &&
    isPassive(claim) === isPassive(line) &&
    isExchanged(claim, line)
  )
    return 'the lines have the parties the other way round';
  return null;
}

const isPassive = (words: readonly string[]): boolean => findPassive(words.join(' ')) !== null;

/** Whether two groups have changed places, by the words that occur once in each text. */
function isExchanged(claim: readonly string[], line: readonly string[]): boolean {
  const isOnce = (word: string, words: readonly string[]): boolean =>
    words.includes(word) && words.indexOf(word) === words.lastIndexOf(word);
  const order = claim
    .filter((word) => !isIdle(word) && isOnce(word, claim) && isOnce(word, line))
    .map((word) => line.indexOf(word))
    .slice(0, 14);
  if (order.length < 3 || isRising(order)) return false;
  const size = order.length;
  for (let from = 0; from < size; from += 1)
    for (let end = from + 3; end <= size; end += 1)
      for (let a = from + 1; a < end - 1; a += 1)
        for (let b = a + 1; b < end; b += 1) {
          const [one, between, two] = [order.slice(from, a), order.slice(a, b), order.slice(b, end)];
          if (isRising([...order.slice(0, from), ...two, ...between, ...one, ...order.slice(end)]))
            return true;
        }
  return false;
}

const isRising = (numbers: readonly number[]): boolean =>
  numbers.every((value, at) => at === 0 || value > numbers[at - 1]!);

/** The longest sequence of common words, in order, as places in the claim and in the line. */
function findCommonWords(
  claim: readonly string[],
  line: readonly string[],
): readonly (readonly [number, number])[] {
  const width = line.length + 1;
  const table = new Uint16Array((claim.length + 1) * width);
  for (let a = claim.length - 1; a >= 0; a -= 1)
    for (let b = line.length - 1; b >= 0; b -= 1)
      table[a * width + b] =
        claim[a] === line[b]
          ? table[(a + 1) * width + b + 1]! + 1
          : Math.max(table[(a + 1) * width + b]!, table[a * width + b + 1]!);
  const pairs: (readonly [number, number])[] = [];
  for (let a = 0, b = 0; a < claim.length && b < line.length; ) {
    if (claim[a] === line[b]) pairs.push([a++, b++]);
    else if (table[(a + 1) * width + b]! >= table[a * width + b + 1]!) a += 1;
    else b += 1;
  }
  return pairs;
}
