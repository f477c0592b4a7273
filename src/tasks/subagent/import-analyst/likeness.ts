/**
 * The similarity of two texts: the share of their groups of three consecutive words that they have in common (Broder's
 * resemblance).
 */

/** Words per group. */
const runLength = 3;
/** Hashes per sketch. */
const sketchSize = 64;
/**
 * Hashes per band of a sketch. Two sketches are compared only if they agree in a whole band; of pairs of pages with a
 * similarity of 0.85, 1 in 10,000 is missed.
 */
const bandSize = 4;

export const splitWords = (text: string): readonly string[] =>
  text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

export function hashRuns(words: readonly string[]): ReadonlySet<number> {
  const runs = new Set<number>();
  for (let at = 0; at + runLength <= words.length; at += 1)
    runs.add(hashOf(words.slice(at, at + runLength).join(' ')));
  return runs;
}

/** The similarity of two texts, given the hashes of their groups of words. 0 to 1. */
export function likeness(a: ReadonlySet<number>, b: ReadonlySet<number>): number {
  const sharedCount = [...a].filter((each) => b.has(each)).length;
  const unionSize = a.size + b.size - sharedCount;
  return unionSize === 0 ? 1 : sharedCount / unionSize;
}

/** A summary of the hashes (Broder's MinHash), small enough to be kept for every page. */
export function createSketch(runs: ReadonlySet<number>): Uint32Array {
  const sketch = new Uint32Array(sketchSize).fill(0xffffffff);
  for (const each of runs)
    for (let at = 0; at < sketchSize; at += 1) {
      const mixed = mix(each + Math.imul(at, 0x9e3779b1));
      if (mixed < sketch[at]!) sketch[at] = mixed;
    }
  return sketch;
}

/** Pairs whose estimated similarity is at least `min`, by their indices in the list. Null entries are skipped. */
export function alikePairs(
  sketches: readonly (Uint32Array | null)[],
  min: number,
): readonly (readonly [number, number])[] {
  const seenPairs = new Set<string>();
  const pairs: (readonly [number, number])[] = [];
  for (let from = 0; from < sketchSize; from += bandSize) {
    const buckets = new Map<string, number[]>();
    sketches.forEach((sketch, at) => {
      if (sketch === null) return;
      const key = sketch.slice(from, from + bandSize).join();
      const bucket = buckets.get(key) ?? [];
      for (const other of bucket) {
        const pairKey = `${other},${at}`;
        if (seenPairs.has(pairKey)) continue;
        seenPairs.add(pairKey);
        if (estimateLikeness(sketches[other]!, sketch) >= min) pairs.push([other, at]);
      }
      bucket.push(at);
      buckets.set(key, bucket);
    });
  }
  return pairs;
}

function estimateLikeness(a: Uint32Array, b: Uint32Array): number {
  return a.reduce((same, each, at) => same + (each === b[at] ? 1 : 0), 0) / sketchSize;
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** The finaliser of MurmurHash3. */
function mix(value: number): number {
  let mixed = value >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
