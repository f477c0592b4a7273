/**
 * Finds claims with the opposite direction: `restored to the archive` where the lines have `restored from archive`.
 */
import type { Reading } from '../../claim/reading.ts';
import type { Source } from '../../lines/source.ts';
import { toComparable } from '../../words/words.ts';

const wayForm =
  /(?<![\p{L}\p{N}-])(from|to|into|onto)\s+(?:(?:the|an?|its|their)\s+)?["'`*]*([\p{L}\p{N}_]+)/giu;

interface Way {
  readonly isFrom: boolean;
  readonly place: string;
  readonly text: string;
}

const findWays = (text: string): readonly Way[] =>
  [...text.matchAll(wayForm)].map(([said, word = '', place = '']) => ({
    ...{ isFrom: word.toLowerCase() === 'from', place: toComparable(place), text: said },
  }));

/** The reason against the claim; null if the lines do not name that place, or give it the same direction. */
export function findWrongWay({ text }: Reading, { segments }: Source): string | null {
  const given = segments.flatMap((segment) => findWays(segment.text));
  for (const { isFrom, place, text: said } of findWays(text)) {
    const same = given.filter((one) => one.place === place);
    if (same.length > 0 && same.every((one) => one.isFrom !== isFrom))
      return `the lines say "${same[0]!.text}" where the claim says "${said}"`;
  }
  return null;
}
