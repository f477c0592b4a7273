/**
 * Checks claims about records with a second time in their message, as in `16:00:23 interrupted; last known up at
 * 16:00:15`: each of the two times belongs to another event.
 */
import type { Reading } from '../../claim/reading.ts';
import { isSameMoment } from '../../claim/times.ts';
import type { Source } from '../../lines/source.ts';
import { toComparable } from '../../words/words.ts';

export interface TimeWithin {
  readonly isAgainst: boolean;
  readonly why: string;
}

/** Null if the claim names no time, or no record has one within its message that could be meant. */
export function checkTimeWithin({ text, moments }: Reading, { segments }: Source): TimeWithin | null {
  const [moment, ...more] = moments;
  if (moment?.second == null || more.some(({ start }) => start !== moment.start)) return null;
  const verb = findVerbBefore(text.slice(0, moment.start));
  if (verb === null) return null;
  const stamped = segments.filter((one) => one.isRecord && one.moments.some(({ start }) => start < 4));
  const messageTimes = stamped.flatMap((segment) =>
    segment.moments
      .filter(({ start, second }) => start > 4 && second !== null)
      .map((own) => ({ own, segment, verb: findVerbBefore(segment.text.slice(0, own.start)) })),
  );
  const sameVerb = messageTimes.filter((one) => one.verb === verb);
  if (sameVerb.some(({ own }) => isSameMoment(moment, own))) return null;
  // `recovery to 12:36` began at another time.
  const isSpan = spanWord.test(text.slice(0, moment.start));
  const [first] = sameVerb;
  if (first !== undefined)
    return first.segment.moments.some((one) => isSameMoment(moment, one))
      ? { isAgainst: true, why: `the lines say that of ${first.own.text}, and not of ${moment.text}` }
      : null;
  const isTimestamp = stamped.some(({ moments: own }) =>
    own.some((one) => one.start < 4 && isSameMoment(moment, one)),
  );
  if (isSpan && isTimestamp && messageTimes.length > 0)
    return { isAgainst: false, why: `The lines have ${moment.text} as the time of the record alone.` };
  return !isTimestamp && messageTimes.some(({ own }) => isSameMoment(moment, own))
    ? { isAgainst: false, why: `The lines say something else of ${moment.text}.` }
    : null;
}

const spanWord = /\b(?:to|until|till|since|before|after|from)\s+$/i;

/** The word that a time belongs to: `up` in `last known up at`. */
function findVerbBefore(before: string): string | null {
  const word = /([\p{L}]+)[\s:=]+(?:(?:at|on|by|since|until|till|to|from|in|about|around)\s+)*$/iu.exec(
    before,
  )?.[1];
  return word === undefined ? null : toComparable(word);
}
