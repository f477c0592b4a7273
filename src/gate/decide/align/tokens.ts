/**
 * Splits a claim or a sentence into tokens: content words, figures and times, each with the words that govern it, and
 * whether it is denied.
 */
import type { Figure } from '../../claim/figures.ts';
import { matchFigure } from '../../claim/match-figure.ts';
import type { Reading } from '../../claim/reading.ts';
import { isSameMoment, type Moment } from '../../claim/times.ts';
import { cacheByKey, type Segment } from '../../lines/source.ts';
import { findAmounts, governingWords } from '../../words/governing.ts';
import { findDenials } from '../../words/turns.ts';
import { isIdle, splitWords } from '../../words/words.ts';

/** A content word, a figure or a time. */
export interface Token {
  readonly text: string;
  readonly base: string;
  readonly at: number;
  readonly end: number;
  readonly figure?: Figure;
  readonly moment?: Moment;
  /** The word that governs it, such as `from` or `by`; empty if there is none. */
  readonly role: string;
  /** The same, but only if no other token is between. */
  readonly ownRole: string;
  /** Whether a denial precedes it, with no other token between. */
  readonly isDenied: boolean;
  /** Whether it is part of a longer name or path: `projects` in `terraform/projects`. */
  readonly isInName: boolean;
  /** Whether the text names it as an alternative that is not the case: `instead of ten`. */
  readonly isSetAside: boolean;
  /** The words for how many or how often that precede it, with no other token between. */
  readonly amount: string;
}

type BareToken = Pick<Token, 'text' | 'base' | 'at' | 'end' | 'figure' | 'moment'>;

const createBareToken = (
  { text, start, end }: Pick<Figure, 'text' | 'start' | 'end'>,
  value: Pick<Token, 'figure' | 'moment'>,
): BareToken => ({ text, base: '', at: start, end, ...value });

function createTokens(
  text: string,
  figures: readonly Figure[],
  moments: readonly Moment[],
): readonly Token[] {
  const values: readonly BareToken[] = [
    ...moments.map((moment) => createBareToken(moment, { moment })),
    ...figures
      .filter(({ start }) => !moments.some((one) => start >= one.start && start < one.end))
      .map((figure) => createBareToken(figure, { figure })),
  ];
  const words = splitWords(text)
    .filter(
      ({ text: word, at }) =>
        (!isIdle(word) || isPartOfLongerWord(text, at, word.length) || isStateWord(text, word, at)) &&
        !/^n?['’]t\b/.test(text.slice(at + word.length)) &&
        !(word === 'longer' && /\b(?:no|any)\s$/i.test(text.slice(0, at))) &&
        !values.some((one) => at >= one.at && at < one.end),
    )
    .map(({ text: word, base, at }): BareToken => ({ text: word, base, at, end: at + word.length }));
  const bareTokens = [...words, ...values].toSorted((a, b) => a.at - b.at);
  return bareTokens.map((one, index) => {
    const before = text.slice(bareTokens[index - 1]?.end ?? 0, one.at);
    return {
      ...one,
      role: findRole(text.slice(0, one.at), bareTokens[index - 2]?.end ?? 0),
      ownRole: findRole(text.slice(0, one.at), bareTokens[index - 1]?.end ?? 0),
      isDenied: findDenials(before).length % 2 === 1,
      isInName: isInName(text, one.at, one.end - one.at),
      isSetAside: setAsidePhrase.test(text.slice(0, one.at)),
      amount: findAmounts(before),
    };
  });
}

/** `instead of` and the like, with the rest of the clause. */
const setAsidePhrase = /\b(?:instead of|rather than|as opposed to|in place of)\b[^,;:.!?]*$/i;

/** Whether a word is a part of a longer name: `My` of `MySQL` tells it from `PostgreSQL`. */
const isPartOfLongerWord = (text: string, at: number, length: number): boolean =>
  /[\p{L}\p{N}_]$/u.test(text.slice(0, at)) || /^[\p{L}\p{N}_]/u.test(text.slice(at + length));
const isInName = (text: string, at: number, length: number): boolean =>
  /[\p{L}\p{N}_][/_.-]?$/u.test(text.slice(0, at)) || /^[/_.-]?[\p{L}\p{N}_]/u.test(text.slice(at + length));

/** Whether a word such as `up` states a condition, as in `the proxy is up`. Elsewhere it only belongs to a verb. */
const isStateWord = (text: string, word: string, at: number): boolean =>
  /^(?:up|down|on|off|out)$/i.test(word) &&
  /\b(?:is|are|was|were|be|been|being|stay(?:s|ed)?|back)\s+$/i.test(text.slice(0, at)) &&
  /^(?:[.,;:)]|\s*$|\s(?:and|but|while|again|for|since|until)\b)/i.test(text.slice(at + word.length));

/** The last governing word of the clause before a token. `from`: the position at which the search begins. */
function findRole(before: string, from: number): string {
  const clause =
    before
      .slice(from)
      .split(/[,;:.!?()]\s/)
      .at(-1) ?? '';
  const words = clause.toLowerCase().match(/[\p{L}\p{N}_'-]+/gu) ?? [];
  return words.findLast((word) => governingWords.has(word)) ?? '';
}

/** The tokens of a claim. */
export const splitClaim = ({ text, figures, moments }: Reading): readonly Token[] =>
  createTokens(text, figures, moments);

export const splitSegment = cacheByKey((segment: Segment): readonly Token[] => {
  const { text, figures, moments } = segment;
  return createTokens(
    text,
    figures.filter(({ isPart }) => isPart !== true),
    moments,
  );
});

export function isSameToken(one: Token, other: Token, text: string): boolean {
  if (one.moment !== undefined || other.moment !== undefined)
    return one.moment !== undefined && other.moment !== undefined && isSameMoment(one.moment, other.moment);
  if (one.figure !== undefined || other.figure !== undefined)
    return (
      one.figure !== undefined &&
      other.figure !== undefined &&
      (one.figure.isWord && other.figure.isWord
        ? one.figure.value === other.figure.value
        : matchFigure(one.figure, other.figure, text.slice(0, other.at)) === 'same')
    );
  return one.base === other.base;
}

export const isValue = ({ figure, moment }: Token): boolean => figure !== undefined || moment !== undefined;
