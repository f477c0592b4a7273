import type { TokenSettings } from '../tokens.ts';
import { termsOf } from '../tokens.ts';
import { hashText } from './byte-table.ts';
import { accumulate, countLive, eachPosting, gather } from './posting-list.ts';
import type { Segment, TermPostings } from './segment.ts';
import { type Bm25, defaultBm25 } from './settings.ts';
import type { FileStamp } from './stamp.ts';

/** A term of a query. A weight of 1 is an ordinary term. */
export interface WeightedTerm {
  readonly term: string;
  readonly weight: number;
}

/**
 * Terms that count as one, such as the forms of a word: their frequencies in a chunk, each times its weight,
 * are added before they saturate, and the group is as frequent as the chunks that hold any of them.
 */
export interface TermGroup {
  readonly weight: number;
  readonly terms: readonly WeightedTerm[];
}

/** A segment of the live index, with the files in it that a later one replaced or that are gone. */
export interface LiveSegment {
  readonly segment: Segment;
  /** Rising file numbers within the segment. */
  readonly dead: readonly number[];
}

interface Part {
  readonly segment: Segment;
  readonly firstChunk: number;
  readonly firstFile: number;
  /** 1 where the chunk's file is dead; null where none is. */
  readonly deadChunks: Uint8Array | null;
}

interface FoundList {
  readonly part: Part;
  readonly postings: TermPostings;
}

const nowhere: readonly FoundList[] = [];

/** In how many living chunks the lists of one term are. */
function liveFrequency(lists: readonly FoundList[]): number {
  return lists.reduce(
    (sum, { part, postings }) =>
      sum +
      (part.deadChunks === null ? postings.documentFrequency : countLive(postings.bytes, part.deadChunks)),
    0,
  );
}

/**
 * The segments of one index as one body of chunks and files, numbered through. Numbers hold for the life of
 * this object only. Dead files keep their numbers and never score.
 */
export class Corpus {
  /** Numbers given, dead ones among them. */
  readonly chunkCount: number;
  readonly fileCount: number;
  readonly liveChunks: number;
  readonly liveFiles: number;
  /** By file number, its first chunk; one more at the end. A file's chunks follow each other. */
  readonly firstChunks: Uint32Array;
  /** By chunk: lines, 1-based and inclusive. */
  readonly firstLines: Uint32Array;
  readonly lastLines: Uint32Array;
  /** By chunk: terms counted, at most 65,535. */
  readonly lengths: Uint16Array;
  readonly averageLength: number;
  /** By file: 1 where it was replaced or removed. */
  readonly dead: Uint8Array;
  readonly tokens: TokenSettings;
  readonly #parts: readonly Part[];
  #files: Uint32Array | undefined;
  #scratch: { frequencies: Float32Array; touched: Int32Array } | undefined;
  #norms: { of: Bm25; values: Float32Array } | undefined;

  constructor(segments: readonly LiveSegment[], tokens: TokenSettings) {
    this.tokens = tokens;
    const chunks = segments.reduce((sum, { segment }) => sum + segment.header.chunks, 0);
    const files = segments.reduce((sum, { segment }) => sum + segment.header.files, 0);
    this.chunkCount = chunks;
    this.fileCount = files;
    this.firstChunks = new Uint32Array(files + 1);
    this.firstLines = new Uint32Array(chunks);
    this.lastLines = new Uint32Array(chunks);
    this.lengths = new Uint16Array(chunks);
    this.dead = new Uint8Array(files);
    const parts: Part[] = [];
    let firstChunk = 0;
    let firstFile = 0;
    let total = 0;
    let deadChunkCount = 0;
    for (const { segment, dead } of segments) {
      this.firstLines.set(segment.firstLines, firstChunk);
      this.lastLines.set(segment.lastLines, firstChunk);
      this.lengths.set(segment.lengths, firstChunk);
      for (let f = 0; f < segment.header.files; f++) {
        this.firstChunks[firstFile + f] = firstChunk + segment.firstChunks[f]!;
      }
      total += segment.header.totalLength;
      const deadChunks = dead.length === 0 ? null : new Uint8Array(segment.header.chunks);
      for (const file of dead) {
        this.dead[firstFile + file] = 1;
        const from = segment.firstChunks[file]!;
        const to = segment.firstChunks[file + 1]!;
        deadChunks!.fill(1, from, to);
        deadChunkCount += to - from;
        for (let c = from; c < to; c++) total -= segment.lengths[c]!;
      }
      parts.push({ segment, firstChunk, firstFile, deadChunks });
      firstChunk += segment.header.chunks;
      firstFile += segment.header.files;
    }
    this.firstChunks[files] = chunks;
    this.liveChunks = chunks - deadChunkCount;
    this.liveFiles = files - segments.reduce((sum, { dead }) => sum + dead.length, 0);
    this.averageLength = this.liveChunks === 0 ? 1 : Math.max(1, total / this.liveChunks);
    this.#parts = parts;
  }

  /** By chunk, the file it belongs to. */
  get files(): Uint32Array {
    if (this.#files === undefined) {
      this.#files = new Uint32Array(this.chunkCount);
      for (let f = 0; f < this.fileCount; f++) {
        this.#files.fill(f, this.firstChunks[f]!, this.firstChunks[f + 1]!);
      }
    }
    return this.#files;
  }

  path(file: number): string {
    const part = this.#partOfFile(file);
    return part.segment.path(file - part.firstFile);
  }

  /** What the file was when it was indexed. */
  stamp(file: number): FileStamp {
    const part = this.#partOfFile(file);
    return part.segment.stamp(file - part.firstFile);
  }

  /** The terms of a text as this index holds them, in order, repeats included. */
  terms(text: string): string[] {
    return termsOf(text, this.tokens);
  }

  /** In how many live chunks the term stands. */
  documentFrequency(term: string): number {
    return liveFrequency(this.#lists(term));
  }

  /** ln(1 + (N - df + 0.5) / (df + 0.5)): never negative. */
  inverseFrequency(documentFrequency: number): number {
    return Math.log(1 + (this.liveChunks - documentFrequency + 0.5) / (documentFrequency + 0.5));
  }

  /** Calls `visit` with each live chunk that has the term, in rising order, and the weighted frequency there. */
  eachPosting(term: string, visit: (chunk: number, frequency: number) => void): void {
    for (const { part, postings } of this.#lists(term)) walkLive(part, postings, visit);
  }

  /**
   * Calls `visit` once for every term and segment: the same term comes again where several segments have it.
   * `postings` walks the live chunks of this term in this segment.
   */
  eachTerm(
    visit: (term: string, postings: (visit: (chunk: number, frequency: number) => void) => void) => void,
  ): void {
    for (const part of this.#parts) {
      part.segment.eachTerm((term, list) => {
        visit(Buffer.from(term).toString(), (visitPosting) => walkLive(part, list, visitPosting));
      });
    }
  }

  /**
   * BM25 of every chunk, by chunk number; 0 where nothing matched. `into` is cleared and used again where it
   * is given: it must have `chunkCount` places.
   */
  scoreChunks(terms: readonly WeightedTerm[], bm25: Bm25 = defaultBm25, into?: Float32Array): Float32Array {
    return this.scoreGroups(
      terms.map(({ term, weight }) => ({ weight, terms: [{ term, weight: 1 }] })),
      bm25,
      into,
    );
  }

  /** As `scoreChunks`, of groups of terms. */
  scoreGroups(groups: readonly TermGroup[], bm25: Bm25 = defaultBm25, into?: Float32Array): Float32Array {
    const scores = into ?? new Float32Array(this.chunkCount);
    if (into !== undefined) into.fill(0);
    const norms = this.#normsFor(bm25);
    for (const group of groups) {
      const found: { lists: readonly FoundList[]; weight: number }[] = [];
      for (const { term, weight } of group.terms) {
        const lists = this.#lists(term);
        if (lists.length > 0) found.push({ lists, weight });
      }
      const [first] = found;
      if (first !== undefined && found.length === 1 && first.weight === 1) {
        const { lists } = first;
        const gain = group.weight * this.inverseFrequency(liveFrequency(lists)) * (bm25.k1 + 1);
        for (const { part, postings } of lists)
          accumulate(postings.bytes, part.firstChunk, gain, norms, scores);
      } else if (found.length > 0) this.#scoreTogether(found, group.weight, bm25, norms, scores);
    }
    for (const { deadChunks, firstChunk } of this.#parts) {
      if (deadChunks === null) continue;
      for (let c = 0; c < deadChunks.length; c++) if (deadChunks[c] === 1) scores[firstChunk + c] = 0;
    }
    return scores;
  }

  #scoreTogether(
    found: readonly { lists: readonly FoundList[]; weight: number }[],
    weight: number,
    bm25: Bm25,
    norms: Float32Array,
    scores: Float32Array,
  ): void {
    this.#scratch ??= {
      frequencies: new Float32Array(this.chunkCount),
      touched: new Int32Array(this.chunkCount),
    };
    const { frequencies, touched } = this.#scratch;
    let count = 0;
    for (const { lists, weight: share } of found) {
      for (const { part, postings } of lists) {
        count = gather(postings.bytes, part.firstChunk, part.deadChunks, share, frequencies, touched, count);
      }
    }
    const gain = weight * this.inverseFrequency(count) * (bm25.k1 + 1);
    for (let k = 0; k < count; k++) {
      const chunk = touched[k]!;
      const frequency = frequencies[chunk]!;
      frequencies[chunk] = 0;
      scores[chunk] = scores[chunk]! + (gain * frequency) / (frequency + norms[chunk]!);
    }
  }

  close(): void {
    for (const { segment } of this.#parts) segment.close();
  }

  #lists(term: string): readonly FoundList[] {
    const hash = hashText(term);
    let lists: FoundList[] | undefined;
    for (const part of this.#parts) {
      if (!part.segment.mayHave(hash)) continue;
      const postings = part.segment.find(Buffer.from(term), hash);
      if (postings === null) continue;
      lists ??= [];
      lists.push({ part, postings });
    }
    return lists ?? nowhere;
  }

  #normsFor(bm25: Bm25): Float32Array {
    if (this.#norms?.of.k1 === bm25.k1 && this.#norms.of.b === bm25.b) return this.#norms.values;
    const values = new Float32Array(this.chunkCount);
    const constant = bm25.k1 * (1 - bm25.b);
    const slope = (bm25.k1 * bm25.b) / this.averageLength;
    for (let c = 0; c < values.length; c++) values[c] = constant + slope * this.lengths[c]!;
    this.#norms = { of: bm25, values };
    return values;
  }

  #partOfFile(file: number): Part {
    let part = this.#parts[0]!;
    for (const next of this.#parts) {
      if (next.firstFile > file) break;
      part = next;
    }
    return part;
  }
}

function walkLive(
  part: Part,
  postings: TermPostings,
  visit: (chunk: number, frequency: number) => void,
): void {
  const { firstChunk, deadChunks } = part;
  eachPosting(postings.bytes, (chunk, frequency) => {
    if (deadChunks === null || deadChunks[chunk] === 0) visit(firstChunk + chunk, frequency);
  });
}
