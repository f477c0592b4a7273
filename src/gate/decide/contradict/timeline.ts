/** Checks the order of timed records, and the time between them. */

import type { Figure } from '../../claim/figures.ts';
import type { Reading } from '../../claim/reading.ts';
import { isSameMoment, type Moment } from '../../claim/times.ts';
import { computeShare } from '../../lines/clauses.ts';
import type { Segment, Source } from '../../lines/source.ts';
import { hasMeaning, splitWords } from '../../words/words.ts';

export interface TimelineVerdict {
  readonly verdict: 'so' | 'otherwise';
  readonly why: string;
  /** The part of the claim that the verdict settles. */
  readonly start: number;
  readonly end: number;
}

const orderWord = /\s(?<word>before|after)\s(?!(?:that|this|all|it|\d)\b)/giu;
const apartWord = /\s(?<word>later|earlier|afterwards|before(?:hand)?)(?=[.,;]|$)/giu;

/** Null if the claim states no order, or if the lines don't tell which records it means. */
export function checkTimeline(reading: Reading, source: Source): TimelineVerdict | null {
  const records = source.segments.filter((segment) => toSeconds(segment) !== null);
  if (records.length < 2 || isOverMidnight(records)) return null;
  const { text } = reading;
  const masked = text.replace(/`[^`]*`|"[^"]*"/g, (span) => 'x'.repeat(span.length));
  for (const match of masked.matchAll(orderWord)) {
    const [from, end] = [match.index, match.index + match[0].length];
    const figure = findDurationBefore(reading, from);
    const first = findRecords(reading, 0, figure?.start ?? from, records, source);
    const second = findRecords(reading, end, text.length, records, source);
    const found = compareTimes(first, second, match.groups!['word']!.toLowerCase() === 'after', figure);
    if (found !== null) return { ...found, start: figure?.start ?? from, end };
  }
  for (const match of masked.matchAll(apartWord)) {
    const figure = findDurationBefore(reading, match.index);
    const joint = [...masked.slice(0, figure?.start ?? match.index).matchAll(/[,;]\s|\sand\s/g)].at(-1);
    if (figure === null || joint === undefined) continue;
    const word = match.groups!['word']!.toLowerCase();
    const first = findRecords(reading, 0, joint.index, records, source);
    const second = findRecords(reading, joint.index, figure.start, records, source);
    const found = compareTimes(second, first, word === 'later' || word === 'afterwards', figure);
    if (found !== null) return { ...found, start: figure.start, end: match.index + match[0].length };
  }
  return null;
}

/** Whether times without a date pass midnight, so that a smaller one may be of the next day. */
function isOverMidnight(records: readonly Segment[]): boolean {
  const points = records.map((segment) => toSeconds(segment)!);
  return points.some((point, at) => point < daySeconds && at > 0 && points[at - 1]! - point > daySeconds / 2);
}
const daySeconds = 86_400;

/** The duration right before a place, such as `three minutes`. */
function findDurationBefore({ figures, text }: Reading, at: number): Figure | null {
  return (
    figures.find(
      (figure) =>
        figure.dimension === 'time' && figure.end <= at + 1 && /^\s*$/.test(text.slice(figure.end, at)),
    ) ?? null
  );
}

/** Records with a time that fit a part of the claim. */
interface MatchedRecords {
  /** Their times, in seconds. */
  readonly points: readonly number[];
  readonly segments: readonly Segment[];
}

const minFit = 0.35;
const maxFitGap = 0.1;
const maxPoints = 3;

/** The records that a part of the claim is about. */
function findRecords(
  reading: Reading,
  from: number,
  end: number,
  records: readonly Segment[],
  source: Source,
): MatchedRecords | null {
  const words = splitWords(reading.text.slice(from, end)).filter(hasMeaning);
  const moments = reading.moments.filter(({ start }) => start >= from && start < end);
  const datedRecords =
    moments.length === 0 ? records : records.filter((segment) => hasMoments(segment, moments));
  const fits = datedRecords.map((segment) => ({
    segment,
    fit: words.length === 0 ? 0 : computeShare(words, segment.bases, source),
  }));
  const best = Math.max(0, ...fits.map(({ fit }) => fit));
  if (moments.length === 0 && (best < minFit || words.length < 1)) return null;
  const segments = fits.filter(({ fit }) => fit >= best - maxFitGap).map(({ segment }) => segment);
  const points = [...new Set(segments.map((segment) => toSeconds(segment)!))];
  return points.length === 0 || points.length > maxPoints ? null : { points, segments };
}

const hasMoments = ({ moments }: Segment, named: readonly Moment[]): boolean =>
  named.every((moment) => moments.some((given) => isSameMoment(moment, given)));

function compareTimes(
  matched: MatchedRecords | null,
  other: MatchedRecords | null,
  isAfter: boolean,
  figure: Figure | null,
): Pick<TimelineVerdict, 'verdict' | 'why'> | null {
  if (
    matched === null ||
    other === null ||
    matched.segments.some((segment) => other.segments.includes(segment))
  )
    return null;
  const steps = matched.points.flatMap((a) => other.points.map((b) => (isAfter ? a - b : b - a)));
  if (steps.every((step) => step < 0))
    return { verdict: 'otherwise', why: 'the times in the lines are in the other order' };
  if (steps.some((step) => step < 0)) return null;
  if (figure === null) return { verdict: 'so', why: 'the times in the lines are in this order' };
  const smallestStep = Math.min(...steps);
  const isNear = steps.some(
    (step) => Math.abs(step * 1_000 - figure.value) <= Math.max(figure.tolerance, 0.1 * figure.value, 1),
  );
  if (isNear) return { verdict: 'so', why: 'the times in the lines are that far apart' };
  return {
    verdict: 'otherwise',
    why: `the times in the lines are ${formatSeconds(smallestStep)} apart, not ${figure.text}`,
  };
}

const formatSeconds = (seconds: number): string =>
  seconds < 120
    ? `${Number(seconds.toFixed(3))} s`
    : seconds < 7_200
      ? `${Math.round(seconds / 60)} min`
      : `${(seconds / 3_600).toFixed(1)} h`;

/** The time of a record in seconds. Times without a date count as of the same day. Null if it has none. */
function toSeconds({ moments, text }: Segment): number | null {
  const moment = moments.find(({ second }) => second !== null);
  if (moment?.second == null) return null;
  const date =
    moment.day === null || moment.day.startsWith('-') ? 0 : Date.parse(`${moment.day}T00:00:00Z`) / 1_000;
  const fraction = /:\d\d[.,:](\d{3,})/.exec(text.slice(moment.start, moment.end))?.[1];
  return Number.isFinite(date)
    ? date + moment.second + (fraction === undefined ? 0 : Number(`0.${fraction}`))
    : null;
}
