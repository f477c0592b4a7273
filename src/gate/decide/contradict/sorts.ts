/**
 * Compares words of one sort that exclude each other: HTTP methods, formats, resources of a machine. The lines
 * contradict a claim if they lack the one that it names, and name another that the claim lacks.
 */
import type { Reading } from '../../claim/reading.ts';
import type { Source } from '../../lines/source.ts';
import { findSortWords, isOfCode, type SortPlace } from '../../words/things.ts';
import { findDenials, mayBeMissing } from '../../words/turns.ts';

/** The reason against a claim that names another thing of a sort than the lines; null if there is none. */
export function findOtherSort({ text, figures }: Reading, { segments, known }: Source): string | null {
  const isCode = segments.some((segment) => segment.isCode && !segment.isRecord);
  // The unit of a figure is compared with the figure.
  const said = findSortWords(text).filter(
    ({ place, at }) =>
      (!isCode || isOfCode(place)) && !figures.some(({ start, end }) => at >= start && at < end),
  );
  if (said.length === 0) return null;
  const given = [...segments.map((segment) => segment.text), known.text].flatMap(findSortWords);
  for (const { word, at, place } of said) {
    const sameSort = given.filter((one) => one.place.sort === place.sort);
    if (sameSort.length === 0 || sameSort.some((one) => one.place.member === place.member)) continue;
    if (
      said.some(
        (one) =>
          one.place.sort === place.sort && sameSort.some((other) => isSameMember(one.place, other.place)),
      )
    )
      continue;
    const before = text.slice(0, at);
    if (mayBeMissing(before) || findDenials(before).length > 0) continue;
    return `the lines have "${sameSort[0]!.word}" where the claim says "${word}"`;
  }
  return null;
}

const isSameMember = (sortPlace: SortPlace, other: SortPlace): boolean =>
  sortPlace.sort === other.sort && sortPlace.member === other.member;
