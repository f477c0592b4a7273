import { placeGap } from '../rows/block-rows.ts';

/**
 * Ascending places for blocks. Existing places (null: a new block) are kept, unless they are out of order or leave no
 * room; then all blocks get new ones.
 */
export function assignPlaces(existing: readonly (number | null)[]): readonly number[] {
  return findPlaces(existing) ?? existing.map((_, index) => (index + 1) * placeGap);
}

function findPlaces(existing: readonly (number | null)[]): readonly number[] | null {
  const places: number[] = [];
  for (let i = 0; i < existing.length; ) {
    const own = existing[i];
    const before = places.at(-1) ?? null;
    if (typeof own === 'number') {
      if (before !== null && own <= before) return null;
      places.push(own);
      i += 1;
      continue;
    }
    let end = i;
    while (end < existing.length && existing[end] === null) end += 1;
    const count = end - i;
    const next = existing[end] ?? null;
    const first = before ?? (next === null ? 0 : next - placeGap * (count + 1));
    const step = next === null ? placeGap : Math.floor((next - first) / (count + 1));
    if (step < 1) return null;
    for (let k = 1; k <= count; k += 1) places.push(first + step * k);
    i = end;
  }
  return places;
}
