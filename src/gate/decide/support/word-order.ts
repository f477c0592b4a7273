/** Finds the words of a claim in a line, and compares their order. */
import { matchFigure } from '../../claim/match-figure.ts';
import type { Reading } from '../../claim/reading.ts';
import type { Source } from '../../lines/source.ts';
import { type Anchor, type ClaimPlace, isRow } from './place.ts';

/** A doubt if the sentence has the words in another order than the claim: it may describe another event. */
export function findWordOrderDoubt(
  reading: Reading,
  anchors: readonly Anchor[],
  place: ClaimPlace,
  source: Source,
): string | null {
  const passive = findPassive(reading.text);
  // In active sentences the acting subject comes first.
  for (const at of new Set(place.chosen.size > 0 ? place.chosen.values() : place.segments)) {
    const segment = source.segments[at]!;
    if (segment.isCode || isRow(segment)) continue;
    const isPassiveTurned = passive?.by != null && findPassive(segment.text)?.by == null;
    const toOrder = (from: number): number =>
      isPassiveTurned && from > passive.by! ? from - reading.text.length : from;
    const columnLists = [
      ...reading.words
        .filter(({ text, at: from }) => from !== passive?.verb && !isZone(text))
        .map(({ base, at: from }) => ({
          from,
          columns: segment.words.filter((word) => word.base === base).map((word) => word.at),
        })),
      ...anchors
        .filter(
          ({ kind, isTime, start: from }) =>
            kind !== 'word' && !isTime && !reading.words.some((word) => word.at === from),
        )
        .map((anchor) => ({ from: anchor.start, columns: findFigureColumns(anchor, reading, at, source) })),
    ]
      .toSorted((a, b) => toOrder(a.from) - toOrder(b.from))
      .flatMap(({ columns: found }) => (found.length === 0 ? [] : [found]));
    if (columnLists.length > 1 && countLongestRise(columnLists) < columnLists.length)
      return 'the lines have its words in another order';
  }
  return null;
}

const isZone = (text: string): boolean => /^(?:utc|gmt|[cepm][ds]?t|am|pm)$/i.test(text);

/** The places of an anchor in a line. The line may write a figure differently. */
function findFigureColumns(anchor: Anchor, reading: Reading, at: number, source: Source): readonly number[] {
  const figure =
    anchor.kind === 'figure' ? reading.figures.find((figure) => figure.start === anchor.start) : undefined;
  if (figure === undefined) return findColumns(anchor, at, source);
  return source.segments[at]!.figures.filter((given) => matchFigure(figure, given) !== null).map(
    (figure) => figure.start,
  );
}

/** The number of words that can be placed in ascending order. */
function countLongestRise(places: readonly (readonly number[])[]): number {
  const rises: { readonly at: number; readonly length: number }[] = [];
  for (const ownPlaces of places) {
    const next = ownPlaces.map((at) => ({
      at,
      length: 1 + Math.max(0, ...rises.filter((one) => one.at < at).map(({ length }) => length)),
    }));
    rises.push(...next);
  }
  return Math.max(0, ...rises.map(({ length }) => length));
}

export function findColumns(anchor: Anchor, at: number, source: Source): readonly number[] {
  const text = source.segments[at]!.text.toLowerCase();
  const whole = anchor.text.replace(/^`+|`+$|\(\)$/g, '').toLowerCase();
  const needle = text.includes(whole) ? whole : (whole.split(/\.|::|->|#/).at(-1) ?? whole);
  const found: number[] = [];
  for (
    let column = text.indexOf(needle);
    column >= 0 && needle !== '';
    column = text.indexOf(needle, column + 1)
  )
    if (isWholeWord(text, column, column + needle.length)) found.push(column);
  return found;
}

/** Whether a match is a whole word: `1` is not part of `10`, and `id` is not part of `idle`. */
const isWholeWord = (text: string, at: number, end: number): boolean =>
  !(/[\p{L}\p{N}]/u.test(text[at]!) && /[\p{L}\p{N}]/u.test(text[at - 1] ?? '')) &&
  !(/[\p{L}\p{N}]/u.test(text[end - 1]!) && /[\p{L}\p{N}]/u.test(text[end] ?? ''));

/** A passive form: `is done`, `was written by them`. The acting subject comes last, or is not named. */
interface Passive {
  /** Position of the verb. */
  readonly verb: number;
  /** Position of `by`, which precedes the acting subject; null if there is none. */
  readonly by: number | null;
}

const passiveForm =
  /\b(?:is|are|was|were|be|been|being|gets?|got) (?:(?:not|never|\p{L}+ly|also|then|still|again|only) ){0,2}(?<verb>\p{L}+ed|\p{L}{2,}[eo]wn|\p{L}+(?:tt|[kvs])en|done|made|sent|kept|held|set|put|cut|found|lost|built|read|run|hit|bound|caught|thrown|given|left|paid|met)\b/iu;

export function findPassive(text: string): Passive | null {
  const match = passiveForm.exec(text);
  if (match === null) return null;
  const end = match.index + match[0].length;
  const by = /^[^.;,]{0,40}?\bby (?!\d)/.exec(text.slice(end));
  return {
    verb: end - match.groups!['verb']!.length,
    by: by === null ? null : end + by[0].length - 1,
  };
}
