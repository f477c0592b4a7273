import { splitTerms, type TokenSettings } from '../../tokens/tokens.ts';
import { type Bm25, defaultBm25 } from '../settings.ts';
import type { FileStamp } from '../stamp.ts';
import { GroupScorer, type TermGroup } from './group-scorer.ts';
import { forEachPosting } from './posting-list.ts';
import type { FileScores, FileWeights } from './score-memory.ts';
import type { Segment, TermPostings } from './segment.ts';
import { type CorpusSegment, TermLists } from './term-lists.ts';

/** A segment of the live index, with its files that were replaced or removed since. */
export interface LiveSegment {
  readonly segment: Segment;
  /** File numbers within the segment, in ascending order. */
  readonly dead: readonly number[];
}

/**
 * The segments of one index, with chunks and files numbered across all segments. The numbers are valid for the life of
 * this object only. Dead files keep their numbers and never match.
 */
export class Corpus {
  /** Number of chunks, including dead ones. */
  readonly chunkCount: number;
  readonly fileCount: number;
  readonly liveChunks: number;
  readonly liveFiles: number;
  /** The first chunk of each file, plus one entry at the end. The chunks of a file are consecutive. */
  readonly firstChunks: Uint32Array;
  /** First and last line of each chunk, 1-based and inclusive. */
  readonly firstLines: Uint32Array;
  readonly lastLines: Uint32Array;
  /** Number of terms of each chunk, at most 65,535. */
  readonly lengths: Uint16Array;
  readonly averageLength: number;
  /** For each file: 1 if it was replaced or removed. */
  readonly dead: Uint8Array;
  readonly tokens: TokenSettings;
  readonly #parts: readonly CorpusSegment[];
  /** Chunks of dead files. */
  readonly #deadRanges: (readonly [start: number, end: number])[] = [];
  readonly #terms: TermLists;
  readonly #scorer: GroupScorer;

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
    const parts: CorpusSegment[] = [];
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
        this.#deadRanges.push([firstChunk + from, firstChunk + to]);
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
    this.#terms = new TermLists(parts);
    this.#scorer = new GroupScorer(this, this.#terms);
  }

  path(file: number): string {
    const part = this.#partOfFile(file);
    return part.segment.path(file - part.firstFile);
  }

  /** The stamp of the file when it was indexed. */
  stamp(file: number): FileStamp {
    const part = this.#partOfFile(file);
    return part.segment.stamp(file - part.firstFile);
  }

  /** Splits a text into terms as the index does: in order, with repeats. */
  terms(text: string): string[] {
    return splitTerms(text, this.tokens);
  }

  /** The number of live chunks with the term. */
  documentFrequency(term: string): number {
    return this.#terms.frequency(term, this.#terms.find(term));
  }

  /** Calls `visit` with each live chunk that has the term, in ascending order, and its weighted frequency. */
  forEachPosting(term: string, visit: (chunk: number, frequency: number) => void): void {
    for (const { part, postings } of this.#terms.find(term)) forEachLivePosting(part, postings, visit);
  }

  /**
   * Calls `visit` for every term of every segment, so a term may come several times. `postings` iterates over the term's
   * live chunks in that segment.
   */
  forEachTerm(
    visit: (term: string, postings: (visit: (chunk: number, frequency: number) => void) => void) => void,
  ): void {
    for (const part of this.#parts) {
      part.segment.forEachTerm((term, list) => {
        visit(Buffer.from(term).toString(), (visitPosting) => forEachLivePosting(part, list, visitPosting));
      });
    }
  }

  /**
   * The distinct terms that begin with one of the prefixes. Slow, since it reads all terms of the index.
   */
  findTermsByPrefix(prefixes: readonly string[]): readonly string[] {
    const prefixBytes = prefixes.map((start) => Buffer.from(start));
    const found = new Set<string>();
    for (const { segment } of this.#parts)
      segment.forEachTerm((term) => {
        if (prefixBytes.some((first) => first.every((byte, at) => term[at] === byte)))
          found.add(Buffer.from(term).toString());
      });
    return [...found];
  }

  /** The BM25 score of each chunk; 0 if nothing matches. */
  scoreGroups(groups: readonly TermGroup[], bm25: Bm25 = defaultBm25): Float32Array {
    return this.#score(groups, bm25, this.#scorer.memory.extraScores).slice();
  }

  /** Like `scoreGroups`, but returns an array that the next call overwrites. */
  scoreQuery(groups: readonly TermGroup[], bm25: Bm25 = defaultBm25): Float32Array {
    return this.#score(groups, bm25, this.#scorer.memory.scores);
  }

  #score(groups: readonly TermGroup[], bm25: Bm25, scores: Float32Array): Float32Array {
    this.#scorer.score(groups, bm25, scores);
    for (const [from, to] of this.#deadRanges) scores.fill(0, from, to);
    return scores;
  }

  /** Computes scores of files from scores of chunks, in an array that the next call overwrites. */
  scoreFiles(chunkScores: Float32Array, weights: FileWeights): FileScores {
    return this.#scorer.memory.scoreFiles(chunkScores, weights);
  }

  close(): void {
    for (const { segment } of this.#parts) segment.close();
  }

  #partOfFile(file: number): CorpusSegment {
    let part = this.#parts[0]!;
    for (const next of this.#parts) {
      if (next.firstFile > file) break;
      part = next;
    }
    return part;
  }
}

function forEachLivePosting(
  part: CorpusSegment,
  postings: TermPostings,
  visit: (chunk: number, frequency: number) => void,
): void {
  const { firstChunk, deadChunks } = part;
  forEachPosting(postings.bytes, (chunk, frequency) => {
    if (deadChunks === null || deadChunks[chunk] === 0) visit(firstChunk + chunk, frequency);
  });
}
