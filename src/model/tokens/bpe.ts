/** Counts byte-pair tokens with a published table of ranks. Faster than the library, which joins numbers for each look-up. */

/** A tokenizer in the format of js-tiktoken. */
export interface RankTable {
  readonly pat_str: string;
  /** Lines of `! offset token token ...`, each token in base64; its rank is its place. */
  readonly bpe_ranks: string;
}

/** How many counts of pieces are cached: words repeat. */
const maxCachedCounts = 20_000;
/**
 * Parsing the whole table takes half a second. The first few texts only look up the ranks that they need, which takes a
 * tenth of that.
 */
const maxLookups = 4;
const maxSubstrings = 60_000;

export function createTokenCounter({ pat_str, bpe_ranks }: RankTable): (text: string) => number {
  let lookups = 0;
  let ranks: Map<string, number> = new Map();
  const loadRanks = (pieces: ReadonlySet<string>): void => {
    if (lookups > maxLookups || pieces.size === 0) return;
    const substrings = lookups < maxLookups ? listSubstrings(pieces) : null;
    lookups = substrings === null ? maxLookups + 1 : lookups + 1;
    ranks = substrings === null ? readRanks(bpe_ranks) : findRanks(bpe_ranks, substrings);
  };
  const pattern = new RegExp(pat_str, 'gu');
  const countCache = new Map<string, number>();
  return (text) => {
    let total = 0;
    const pieces = Array.from(text.matchAll(pattern), ([piece]) => piece);
    loadRanks(
      new Set(lookups > maxLookups ? [] : pieces.filter((piece) => !countCache.has(piece)).map(bytesOf)),
    );
    for (const piece of pieces) {
      let count = countCache.get(piece);
      if (count === undefined) {
        count = countTokens(bytesOf(piece), ranks);
        if (countCache.size >= maxCachedCounts) countCache.clear();
        countCache.set(piece, count);
      }
      total += count;
    }
    return total;
  };
}

/** A string with one character per byte. */
const bytesOf = (text: string): string => Buffer.from(text).toString('latin1');

/** Maps the base64 of each substring of the pieces to the substring; null if there are too many to look up. */
function listSubstrings(pieces: ReadonlySet<string>): ReadonlyMap<string, string> | null {
  const parts = new Set<string>();
  for (const piece of pieces)
    for (let from = 0; from < piece.length; from += 1) {
      for (let to = from + 2; to <= piece.length; to += 1) parts.add(piece.slice(from, to));
      if (parts.size > maxSubstrings) return null;
    }
  return new Map(Array.from(parts, (part) => [btoa(part), part]));
}

/** Finds the ranks without making a string for each token of the table. */
function findRanks(lines: string, wanted: ReadonlyMap<string, string>): Map<string, number> {
  const ranks = new Map<string, number>();
  const lengths = new Set(Array.from(wanted.keys(), ({ length }) => length));
  for (const line of lines.split('\n')) {
    const start = line.indexOf(' ') + 1;
    let from = line.indexOf(' ', start) + 1;
    let rank = Number(line.slice(start, from));
    for (let to = from; to < line.length; from = to + 1, rank += 1) {
      to = line.indexOf(' ', from);
      if (to < 0) to = line.length;
      const substring = lengths.has(to - from) ? wanted.get(line.slice(from, to)) : undefined;
      if (substring !== undefined) ranks.set(substring, rank);
    }
  }
  return ranks;
}

/** The merge rank of each token. A token is a string with one character per byte. */
function readRanks(lines: string): Map<string, number> {
  const ranks = new Map<string, number>();
  for (const line of lines.split('\n')) {
    const [, offset, ...tokens] = line.split(' ');
    for (const [index, token] of tokens.entries())
      ranks.set(Buffer.from(token, 'base64').toString('latin1'), Number(offset) + index);
  }
  return ranks;
}

/** Joins the neighbours with the lowest rank until no two neighbours form a token. */
function countTokens(bytes: string, ranks: ReadonlyMap<string, number>): number {
  if (bytes.length < 2 || ranks.has(bytes)) return Math.min(bytes.length, 1);
  const starts = Array.from({ length: bytes.length + 1 }, (_, index) => index);
  const pairRank = (index: number): number =>
    index + 2 < starts.length
      ? (ranks.get(bytes.slice(starts[index], starts[index + 2])) ?? Infinity)
      : Infinity;
  const pairRanks = starts.map((_, index) => pairRank(index));
  for (;;) {
    let bestIndex = 0;
    for (let index = 1; index < pairRanks.length; index += 1)
      if (pairRanks[index]! < pairRanks[bestIndex]!) bestIndex = index;
    if (pairRanks[bestIndex] === Infinity) return starts.length - 1;
    starts.splice(bestIndex + 1, 1);
    pairRanks.splice(bestIndex + 1, 1);
    pairRanks[bestIndex] = pairRank(bestIndex);
    if (bestIndex > 0) pairRanks[bestIndex - 1] = pairRank(bestIndex - 1);
  }
}
