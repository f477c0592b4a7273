/**
 * Finds another period for an amount, or another frequency in a period: `$50 per week` where the lines say `per month`.
 */

import { findFigures } from '../../claim/figures.ts';
import { matchFigure } from '../../claim/match-figure.ts';
import type { Reading } from '../../claim/reading.ts';
import type { Source } from '../../lines/source.ts';

const periods = 'second|minute|hour|day|night|week|month|quarter|year';
const periodBehind = new RegExp(
  `^(?: \\p{L}+){0,2}?(?: (?:per|a|an|each|every) |\\/)(${periods})(?!\\p{L})`,
  'iu',
);
const frequencyForm = new RegExp(
  `\\b(once|twice|thrice|(?:two|three|four|five|six|\\d+) times) (?:a|per|each|every) (${periods})(?!\\p{L})`,
  'giu',
);
const frequencyWords: Readonly<Record<string, string>> = {
  '1 times': 'once',
  'two times': 'twice',
  '2 times': 'twice',
  'three times': 'thrice',
  '3 times': 'thrice',
};

interface Frequency {
  readonly often: string;
  readonly period: string;
}

const findFrequencies = (text: string): readonly Frequency[] =>
  [...text.matchAll(frequencyForm)].map(([, often = '', period = '']) => ({
    often: frequencyWords[often.toLowerCase()] ?? often.toLowerCase(),
    period: period.toLowerCase(),
  }));

/** The reason against a claim whose amount, or whose frequency, the lines give for another period; null if none. */
export function findOtherRate({ text, figures }: Reading, { segments }: Source): string | null {
  for (const figure of figures) {
    const period = periodBehind.exec(text.slice(figure.end))?.[1]?.toLowerCase();
    if (period === undefined || figure.isWord) continue;
    const given = segments.flatMap((segment) =>
      findFigures(segment.text).flatMap((one) =>
        matchFigure(figure, one, segment.text.slice(0, one.start)) === 'same'
          ? [periodBehind.exec(segment.text.slice(one.end))?.[1]?.toLowerCase()]
          : [],
      ),
    );
    // An amount without a period in the lines may be for any period.
    if (given.length === 0 || given.some((one) => one === undefined || one === period)) continue;
    return `the lines have ${figure.text} per ${given[0]}`;
  }
  const stated = segments.flatMap((segment) => findFrequencies(segment.text));
  for (const { often, period } of findFrequencies(text)) {
    const relatedFrequencies = stated.filter((one) => one.period === period || one.often === often);
    const [other] = relatedFrequencies;
    if (
      other !== undefined &&
      !relatedFrequencies.some((one) => one.often === often && one.period === period)
    )
      return `the lines say ${other.often} a ${other.period}`;
  }
  return null;
}
