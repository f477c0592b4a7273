import { placeGap } from '../rows/block-rows.ts';

/**
 * Returns ascending `place` values for blocks. `existing` has the present place of each block; null for a new one.
 * Present places are kept, unless they are out of order or too close for the new blocks: then all places are new.
 */
export function assignPlaces(existing: readonly (number | null)[]): readonly number[] {
  return findPlaces(existing) ?? existing.map((_, index) => (index + 1) * placeGap);
}

function findPlaces(existing: readonly (number | null)[]): readonly number[] | null {
  const places: number[] = [];
  for (let i = 0; i < existing.length; ) {
    const existingPlace = existing[i];
    const previousPlace = places.at(-1) ?? null;
    if (typeof existingPlace === 'number') {
      if (previousPlace !== null && existingPlace <= previousPlace) return null;
      places.push(existingPlace);
      i += 1;
      continue;
    }
    let end = i;
    while (end < existing.length && existing[end] === null) end += 1;
    const newCount = end - i;
    const nextPlace = existing[end] ?? null;
    const startPlace = previousPlace ?? (nextPlace === null ? 0 : nextPlace - placeGap * (newCount + 1));
    const step = nextPlace === null ? placeGap : Math.floor((nextPlace - startPlace) / (newCount + 1));
    if (step < 1) return null;
    for (let k = 1; k <= newCount; k += 1) places.push(startPlace + step * k);
    i = end;
  }
  return places;
}
