import type { Corpus } from './corpus.ts';

export interface FileRanking {
  /** By file; 0 where the file does not match. */
  readonly scores: Float32Array;
}

export interface Ranked {
  readonly chunk: number;
  readonly file: number;
  readonly score: number;
}

/** The best `k` files, each by its best chunk. */
export function topFiles(
  corpus: Corpus,
  chunkScores: Float32Array,
  { scores }: FileRanking,
  k: number,
): Ranked[] {
  const count = Math.max(0, Math.min(k, scores.length));
  const heap = new Top(count, (a, b) => compareFiles(corpus, a, b));
  let least = 0;
  for (let file = 0; file < scores.length; file++) {
    const score = scores[file]!;
    if (score === 0 || score < least) continue;
    heap.offer(file, score);
    least = heap.least;
  }
  return heap
    .sorted()
    .map(({ id, score }) => ({ file: id, chunk: bestChunk(corpus, chunkScores, id), score }));
}

/** The first of the file's best. */
function bestChunk({ firstChunks }: Corpus, chunkScores: Float32Array, file: number): number {
  let best = firstChunks[file]!;
  for (let chunk = best + 1; chunk < firstChunks[file + 1]!; chunk++)
    if (chunkScores[chunk]! > chunkScores[best]!) best = chunk;
  return best;
}

function compareFiles(corpus: Corpus, a: number, b: number): number {
  const left = corpus.path(a);
  const right = corpus.path(b);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Keeps the `k` best of what it is offered. Equal scores are decided by `tie`, so the result is the same always. */
class Top {
  readonly #scores: Float64Array;
  readonly #ids: Int32Array;
  readonly #tie: (a: number, b: number) => number;
  #count = 0;

  constructor(k: number, tie: (a: number, b: number) => number) {
    this.#scores = new Float64Array(k);
    this.#ids = new Int32Array(k);
    this.#tie = tie;
  }

  /** What is below this can't enter any more; 0 while there is room. */
  get least(): number {
    return this.#count > 0 && this.#count === this.#scores.length ? this.#scores[0]! : 0;
  }

  offer(id: number, score: number): void {
    if (!(score > 0)) return;
    if (this.#count < this.#scores.length) {
      this.#rise(this.#count++, id, score);
    } else if (this.#count > 0 && this.#before(this.#ids[0]!, this.#scores[0]!, id, score)) {
      this.#sink(id, score);
    }
  }

  sorted(): { id: number; score: number }[] {
    return Array.from({ length: this.#count }, (_, k) => ({
      id: this.#ids[k]!,
      score: this.#scores[k]!,
    })).sort((a, b) => b.score - a.score || this.#tie(a.id, b.id));
  }

  /** Whether the first is the worse of the two. */
  #before(idA: number, scoreA: number, idB: number, scoreB: number): boolean {
    return scoreA < scoreB || (scoreA === scoreB && this.#tie(idA, idB) > 0);
  }

  #rise(from: number, id: number, score: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#before(id, score, this.#ids[parent]!, this.#scores[parent]!)) break;
      this.#ids[at] = this.#ids[parent]!;
      this.#scores[at] = this.#scores[parent]!;
      at = parent;
    }
    this.#ids[at] = id;
    this.#scores[at] = score;
  }

  #sink(id: number, score: number): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#count) break;
      const next = child + 1;
      if (
        next < this.#count &&
        this.#before(this.#ids[next]!, this.#scores[next]!, this.#ids[child]!, this.#scores[child]!)
      ) {
        child = next;
      }
      if (!this.#before(this.#ids[child]!, this.#scores[child]!, id, score)) break;
      this.#ids[at] = this.#ids[child]!;
      this.#scores[at] = this.#scores[child]!;
      at = child;
    }
    this.#ids[at] = id;
    this.#scores[at] = score;
  }
}
