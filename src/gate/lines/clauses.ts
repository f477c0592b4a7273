/**
 * Splits claims and lines into clauses, and measures how much of one clause another contains. Rare words weigh more.
 */
import type { TextSpan } from '../../core/index.ts';
import type { Reading } from '../claim/reading.ts';
import { findDenials } from '../words/turns.ts';
import { hasMeaning, splitWords, type Word } from '../words/words.ts';
import { cacheByKey, type Source } from './source.ts';

export interface Clause {
  readonly text: string;
  /** Offsets of the clause in the claim. */
  readonly start: number;
  readonly end: number;
  /** Words with meaning, names split into their parts. */
  readonly words: readonly Word[];
}

/** A clause of a sentence, or a line, of the source, with the context that it belongs to. */
export interface GivenClause {
  readonly text: string;
  readonly segment: number;
  /** Offsets of the clause in its segment. */
  readonly start: number;
  readonly end: number;
  readonly words: readonly Word[];
  readonly bases: ReadonlySet<string>;
}

const joint =
  /[;:!?]\s+|,\s+|\.\s+|\s+[-\u2013\u2014]\s+|\s+(?=(?:and|but|while|whereas|although|though|because|since|so that|which|where|when|if|unless|until|before|after|und|aber|weil)\s)|[()]/giu;

/** The parts of a text between its joints. Code and quotes are not split. */
export function splitAtJoints(text: string): readonly TextSpan[] {
  const masked = text.replace(/`[^`]*`|"[^"]*"/g, (span) => 'x'.repeat(span.length));
  const cuts: { start: number; end: number }[] = [];
  let from = 0;
  for (const match of masked.matchAll(joint)) {
    if (match.index > from) cuts.push({ start: from, end: match.index });
    from = match.index + match[0].length;
  }
  if (from < text.length) cuts.push({ start: from, end: text.length });
  return cuts;
}

/** The clauses of a claim. `joined`: a clause of fewer than two words joins the one before. */
export function splitClauses(reading: Reading, { joined }: { readonly joined: boolean }): readonly Clause[] {
  const paths = reading.terms.filter(({ kind }) => kind === 'path');
  const words = splitWords(reading.text).filter(
    (word) => hasMeaning(word) && !paths.some(({ start, end }) => word.at >= start && word.at < end),
  );
  const found: Clause[] = [];
  for (const { start: at, end } of splitAtJoints(reading.text)) {
    const own = words.filter((word) => word.at >= at && word.at < end);
    const before = found.at(-1);
    const from = joined && before !== undefined && own.length < 2 ? before : null;
    if (from !== null) found.pop();
    const start = from?.start ?? at;
    found.push({
      text: reading.text.slice(start, end),
      start,
      end,
      words: [...(from?.words ?? []), ...own],
    });
  }
  return found;
}

export const splitSource = cacheByKey(({ segments }: Source): readonly GivenClause[] =>
  segments.flatMap((one, segment): readonly GivenClause[] => {
    const isWhole = one.isCode || /^\s*\|/.test(one.text) || one.moments.length > 0;
    const parts = isWhole ? [{ start: 0, end: one.text.length }] : splitAtJoints(one.text);
    // The words of an address are not words of the sentence around it.
    const addresses = isWhole ? [] : [...one.text.matchAll(/\bhttps?:\/\/[^\s)\]>]+/g)];
    const isAddress = (at: number): boolean =>
      addresses.some(({ index, 0: text }) => at >= index && at < index + text.length);
    return parts.map(({ start, end }) => {
      const words = one.words.filter((word) => word.at >= start && word.at < end && !isAddress(word.at));
      const bases = isWhole ? one.bases : new Set(words.map(({ base }) => base));
      return { text: one.text.slice(start, end), segment, start, end, words, bases };
    });
  }),
);

/** The number of segments that contain each word. */
const countSegments = cacheByKey((source: Source): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { bases } of source.segments)
    for (const base of bases) counts.set(base, (counts.get(base) ?? 0) + 1);
  return counts;
});

export const weighWord = (base: string, source: Source): number =>
  Math.log(1 + source.segments.length / (countSegments(source).get(base) ?? 0.5));

/** The weight of a word in a line of code itself, in the adjacent lines, and in the lines next to those. */
const distanceWeights = [1, 0.6, 0.3] as const;

/** The share of the words, by weight, that `bases` contains. */
export function computeShare(words: readonly Word[], bases: ReadonlySet<string>, source: Source): number {
  let whole = 0;
  let contained = 0;
  for (const { base } of words) {
    const weight = weighWord(base, source);
    whole += weight;
    if (bases.has(base)) contained += weight;
  }
  return whole === 0 ? 0 : contained / whole;
}

/** The share of the words, by weight, that a segment contains. A word in a neighbouring line of code counts less. */
export function computeShareAt(words: readonly Word[], at: number, source: Source): number {
  const segment = source.segments[at]!;
  const isByCode = [at - 1, at, at + 1].some((one) => source.segments[one]?.isCode === true);
  const reach = isByCode && segment.moments.length === 0 ? distanceWeights.length - 1 : 0;
  let whole = 0;
  let contained = 0;
  for (const { base } of words) {
    const weight = weighWord(base, source);
    whole += weight;
    let near = 0;
    for (let away = 0; away <= reach && near === 0; away += 1)
      for (const one of [source.segments[at - away], source.segments[at + away]])
        if (one !== undefined && one.source === segment.source && one.bases.has(base))
          near = distanceWeights[away]!;
    contained += weight * near;
  }
  return whole === 0 ? 0 : contained / whole;
}

export const countDenials = (text: string): number => findDenials(text).length;
