/** Finds claims that combine names, figures and times differently from the records. */

import type { Figure } from '../../claim/figures.ts';
import { matchFigure } from '../../claim/match-figure.ts';
import type { Reading } from '../../claim/reading.ts';
import { splitClauses } from '../../lines/clauses.ts';
import type { Segment, Source } from '../../lines/source.ts';
import { isIdle, splitWords } from '../../words/words.ts';
import type { Anchor } from '../support/place.ts';

/** Maximum number of records that contain the other names, and that agree. */
const maxRecords = 3;

/**
 * The reason why the records contradict the claim: they contain all of it except one value, and another value in its
 * place. Null if they do not.
 */
export function findOtherRecord(reading: Reading, anchors: readonly Anchor[], source: Source): string | null {
  for (const clause of splitClauses(reading, { joined: false })) {
    if (severalRecords.test(clause.text)) continue;
    const items = anchors.filter(
      ({ start, kind, how, segments }) =>
        start >= clause.start &&
        start < clause.end &&
        kind !== 'word' &&
        how === 'exact' &&
        segments.length > 0 &&
        segments.every((one) => isRecordLike(source.segments[one]!)),
    );
    if (items.length < 2) continue;
    for (const item of items) {
      const rest = items.filter((anchor) => anchor !== item && !doOverlap(anchor, item));
      if (rest.length === 0) continue;
      const records = rest
        .map(({ segments }) => segments)
        .reduce((all, own) => all.filter((one) => own.includes(one)));
      if (records.length === 0 || records.length > maxRecords) continue;
      if (records.some((one) => item.segments.includes(one))) continue;
      const others = records.map((one) => findOtherValue(item, reading, source.segments[one]!, source));
      const [first] = others;
      if (first == null || others.some((one) => one === null)) continue;
      if (items.some(({ text }) => text === first)) continue;
      return `the record of ${rest.map(({ text }) => `"${text}"`).join(' and ')} has ${first}, and not ${item.text}`;
    }
  }
  return null;
}

/** Words of statements about several records, or about the time between them. */
const severalRecords =
  /\b(?:from\b.*\bto|between|until|till|through|within|since|before|after|later|earlier|then|both|each|all|every|total|together|most|more|less|other|another|first|last|next)\b/i;

/** A line of a log, a row, or an item that begins with a date or time. */
const isRecordLike = ({ isRecord: is, text, moments }: Segment): boolean =>
  is || /^\s*\|/.test(text) || (moments[0]?.start ?? 9) < 4;

const doOverlap = (a: Anchor, b: Anchor): boolean => a.start < b.end && b.start < a.end;

/** Another value of the same kind in a record. */
function findOtherValue(item: Anchor, reading: Reading, record: Segment, source: Source): string | null {
  if (item.isTime === true) {
    const moment = record.moments.find(({ second }) => second !== null);
    return moment?.text ?? null;
  }
  const figure =
    item.kind === 'figure' ? reading.figures.find(({ start }) => start === item.start) : undefined;
  if (figure !== undefined) return findOtherFigure(figure, record, source);
  const form = toForm(item.text);
  if (form === '') return null;
  return splitTokens(record.text).find((one) => toForm(one) === form) ?? null;
}

/** A different figure in the record, under the same name. */
function findOtherFigure(figure: Figure, record: Segment, { segments }: Source): string | null {
  const keys = segments.flatMap(({ text, figures }) =>
    figures
      .filter((given) => matchFigure(figure, given) !== null)
      .map((figure) => findKeyWords(figure, text)),
  );
  const found = record.figures.find(
    (given) =>
      !given.isPart &&
      !given.isWord &&
      keys.some(
        (key) =>
          key === findKeyWords(given, record.text) &&
          (key !== '' || (given.dimension !== null && given.dimension === figure.dimension)),
      ),
  );
  // The only figure of its unit in an item of a list.
  const alike = record.figures.filter(
    ({ dimension }) => dimension !== null && dimension === figure.dimension,
  );
  return found?.text ?? (!record.isRecord && alike.length === 1 ? alike[0]!.text : null);
}

/** The words before and after a figure: in `sent 51 bytes` both describe it. */
function findKeyWords({ start, end }: Figure, text: string): string {
  const before = text.slice(0, start).match(/(?:\p{L}[\p{L}_]*[^\p{L}\p{N}]*){1,2}$/u)?.[0] ?? '';
  const behind = /^[^\p{L}\p{N}]{0,3}(\p{L}+)/u.exec(text.slice(end))?.[1] ?? '';
  return splitWords(`${before} ${behind}`)
    .filter(({ text: word }) => !isIdle(word))
    .map(({ base }) => base)
    .join(' ');
}

const splitTokens = (text: string): readonly string[] =>
  text.match(/[\p{L}\p{N}_$][\p{L}\p{N}_$.:@/-]*[\p{L}\p{N}_$]/gu) ?? [];

/**
 * The form of a value: `blk_-99` and `blk_12` have the same form, and so do two addresses. Letters count as written,
 * and digits as any digit.
 */
const toForm = (text: string): string =>
  /\d/.test(text) ? text.toLowerCase().replace(/[\d]+/g, '0').replaceAll('-', '') : '';
