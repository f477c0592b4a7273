/** Byte-pair counting over a published table. Faster than the library's own, which joins numbers to look them up. */

/** A tokenizer in the format of js-tiktoken. */
export interface RankTable {
  readonly pat_str: string;
  /** Lines of `! offset token token ...`, each token in base64; its rank is its place. */
  readonly bpe_ranks: string;
}

/** Words come again and again: their counts are kept. */
const maxRemembered = 20_000;

export function byteCounter({ pat_str, bpe_ranks }: RankTable): (text: string) => number {
  const ranks = ranksOf(bpe_ranks);
  const pattern = new RegExp(pat_str, 'gu');
  const remembered = new Map<string, number>();
  return (text) => {
    let total = 0;
    for (const [piece] of text.matchAll(pattern)) {
      let count = remembered.get(piece);
      if (count === undefined) {
        count = countMerged(Buffer.from(piece).toString('latin1'), ranks);
        if (remembered.size >= maxRemembered) remembered.clear();
        remembered.set(piece, count);
      }
      total += count;
    }
    return total;
  };
}

/** The merge rank of each token. A token is a string with one character per byte. */
function ranksOf(lines: string): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>();
  for (const line of lines.split('\n')) {
    const [, offset, ...tokens] = line.split(' ');
    for (const [index, token] of tokens.entries())
      ranks.set(Buffer.from(token, 'base64').toString('latin1'), Number(offset) + index);
  }
  return ranks;
}

/** Joins the neighbours of the lowest rank until no two that stand together are a token. */
function countMerged(bytes: string, ranks: ReadonlyMap<string, number>): number {
  if (bytes.length < 2 || ranks.has(bytes)) return Math.min(bytes.length, 1);
  const starts = Array.from({ length: bytes.length + 1 }, (_, index) => index);
  const rankAt = (index: number): number =>
    index + 2 < starts.length
      ? (ranks.get(bytes.slice(starts[index], starts[index + 2])) ?? Infinity)
      : Infinity;
  const joins = starts.map((_, index) => rankAt(index));
  for (;;) {
    let best = 0;
    for (let index = 1; index < joins.length; index += 1) if (joins[index]! < joins[best]!) best = index;
    if (joins[best] === Infinity) return starts.length - 1;
    starts.splice(best + 1, 1);
    joins.splice(best + 1, 1);
    joins[best] = rankAt(best);
    if (best > 0) joins[best - 1] = rankAt(best - 1);
  }
}
