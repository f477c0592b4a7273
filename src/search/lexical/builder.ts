import { planChunks } from '../chunk.ts';
import { ChunkPlan } from '../chunk-plan.ts';
import { byteClass, longestRun, TermSplitter } from '../tokens.ts';
import {
  definer,
  definitionStyle,
  definitionWords,
  endsWithBrace,
  nameAfter,
  nameBeforeBrace,
  type Span,
} from '../tokens-definitions.ts';
import {
  ByteTable,
  grownWords,
  hashBytes,
  mostStrings,
  numberMask,
  tagMask,
  type Words,
} from './byte-table.ts';
import {
  firstPrime,
  firstSeed,
  IdentifierTable,
  secondPrime,
  secondSeed,
  slotOf,
} from './identifier-table.ts';
import { frequency, Postings, recordWords } from './postings.ts';
import type { IndexSettings } from './settings.ts';
import type { FileStamp } from './stamp.ts';
import { SegmentTables } from './tables.ts';

const encoder = new TextEncoder();

/** Highest frequency that a posting holds. */
const mostFrequent = 255;

/** Whether the scan looks for definitions: not, or what it expects next. */
const idle = 0;
const atLineStart = 1;
/** A definer was met; its name begins at a known offset. */
const beforeName = 2;

/**
 * Gathers an inverted index in memory, file after file. Every distinct identifier is split into terms once
 * and remembered with their ids, so that the loop over the bytes does one look-up an identifier.
 */
export class SegmentBuilder {
  readonly tables = new SegmentTables();
  readonly terms: ByteTable;
  readonly postings: Postings;
  readonly #identifiers: IdentifierTable;
  /** Term ids of identifiers that have several. An identifier of one term holds it in its own record. */
  #parts: Words;
  #partsLength = 1;
  readonly #splitter: TermSplitter;
  readonly #settings: IndexSettings;
  readonly #plan = new ChunkPlan();
  /** Records of the terms met in the chunk under way. */
  #touched: Words = new Int32Array(4096);
  #touchedCount = 0;
  /** Of identifiers that are added. */
  #role = 0;
  readonly #span: Span = { start: 0, end: 0 };

  /** `capacity`: identifiers expected; everything grows. */
  constructor(settings: IndexSettings, capacity: number) {
    this.#settings = settings;
    this.#splitter = new TermSplitter(settings.tokens);
    this.terms = new ByteTable(capacity);
    this.postings = new Postings(capacity);
    this.#identifiers = new IdentifierTable(capacity);
    this.#parts = new Int32Array(capacity);
    for (const [word, role] of definitionWords) this.#declare(word, role);
  }

  /** Whether it is time to write a segment and start another: `bytes` of postings are gathered. */
  isFull(bytes: number): boolean {
    const strings = Math.max(this.#identifiers.next, this.terms.next);
    return this.postings.poolLength >= bytes || strings >= mostStrings / 2;
  }

  /** Indexes `bytes[0, length)` as the content of a file; returns how many chunks it has. */
  addFile(path: string, bytes: Uint8Array, length: number, stamp: FileStamp): number {
    const { fields, chunks } = this.#settings;
    const plan = this.#plan;
    planChunks(path, bytes, length, chunks, plan);
    this.tables.addFile(path, stamp);
    const pathBytes = encoder.encode(path);
    const style = definitionStyle(path);
    const definitions = style !== 'none' && fields.definition > 0;
    const braces = definitions && style === 'braces';
    let start = 0;
    for (let k = 0; k < plan.count; k++) {
      const end = plan.ends[k]!;
      let counted = 0;
      counted += this.#scan(bytes, start, end, fields.body, definitions, braces);
      if (fields.path > 0) counted += this.#scan(pathBytes, 0, pathBytes.length, fields.path, false, false);
      const heading = plan.headings[k]!;
      if (heading !== '' && fields.heading > 0) {
        const headingBytes = encoder.encode(heading);
        counted += this.#scan(headingBytes, 0, headingBytes.length, fields.heading, false, false);
      }
      this.#finishChunk(this.tables.addChunk(plan.firstLines[k]!, plan.lastLines[k]!, counted));
      start = end;
    }
    return plan.count;
  }

  /** The id of a finished term, as the merge of segments brings it. */
  termOf(bytes: Uint8Array, start: number, length: number): number {
    const hash = hashBytes(bytes, start, start + length);
    const found = this.terms.find(bytes, start, length, hash);
    if (found > 0) return found;
    const term = this.terms.add(~found, bytes, start, length, hash);
    this.postings.open(term);
    return term;
  }

  /** Adds `weight` to each term of `bytes[start, end)`; returns how many terms there were. */
  #scan(
    bytes: Uint8Array,
    start: number,
    end: number,
    weight: number,
    definitions: boolean,
    braces: boolean,
  ): number {
    const identifiers = this.#identifiers;
    let { slots, records } = identifiers;
    let frequencies = this.postings.records;
    let parts = this.#parts;
    let touched = this.#touched;
    let touchedCount = this.#touchedCount;
    const lineStart = definitions ? atLineStart : idle;
    let state = lineStart;
    let nameAt = -1;
    let line = start;
    let counted = 0;
    let i = start;
    while (i < end) {
      const first = bytes[i]!;
      if (byteClass[first] === 0) {
        if (first === 10) {
          state = lineStart;
          if (
            braces &&
            endsWithBrace(bytes, i) &&
            nameBeforeBrace(bytes, start, line, i, byteClass, this.#span)
          ) {
            this.#touchedCount = touchedCount;
            this.#weigh(bytes, this.#span.start, this.#span.end);
            touched = this.#touched;
            touchedCount = this.#touchedCount;
          }
          line = i + 1;
        }
        i++;
        continue;
      }
      const from = i;
      let hash = firstSeed;
      let second = secondSeed;
      do {
        const byte = bytes[i]!;
        hash = Math.imul(hash ^ byte, firstPrime);
        second = Math.imul(second, secondPrime) + byte;
        i++;
      } while (i < end && byteClass[bytes[i]!] !== 0);
      const length = i - from;
      if (length < 2) continue;
      if (length > longestRun) {
        this.#touchedCount = touchedCount;
        counted += this.#longRun(bytes, from, i, weight);
        frequencies = this.postings.records;
        touched = this.#touched;
        touchedCount = this.#touchedCount;
        continue;
      }
      second = Math.imul(second ^ (second >>> 15), firstPrime);
      const mask = slots.length - 1;
      const tag = second & tagMask;
      let slot = slotOf(hash, mask);
      let id = 0;
      for (;;) {
        const entry = slots[slot]!;
        if (entry === 0) break;
        if ((entry & tagMask) === tag) {
          id = entry & numberMask;
          const record = id << 2;
          if (
            records[record] === hash &&
            records[record + 1] === second &&
            (records[record + 2]! & 255) === length
          ) {
            break;
          }
          id = 0;
        }
        slot = (slot + 1) & mask;
      }
      if (id === 0) {
        id = this.#newIdentifier(slot, bytes, from, length, hash, second);
        ({ slots, records } = identifiers);
        frequencies = this.postings.records;
        parts = this.#parts;
      }
      const record = id << 2;
      const info = records[record + 2]! >>> 8;
      let added = weight;
      if (state !== idle) {
        if (state === beforeName && from === nameAt) {
          added += this.#settings.fields.definition;
          state = idle;
        }
        if (state !== beforeName) {
          const role = info >>> 8;
          if (role === definer) {
            nameAt = nameAfter(bytes, i, end, byteClass);
            state = nameAt < 0 ? idle : beforeName;
            added = weight;
          } else if (role === 0) state = idle;
        }
      }
      const count = info & 255;
      counted += count;
      const value = records[record + 3]!;
      if (touchedCount + count > touched.length) touched = this.#touched = grownWords(touched, 0);
      if (count === 1) {
        const at = value * recordWords + frequency;
        if (frequencies[at] === 0) touched[touchedCount++] = value;
        frequencies[at] = frequencies[at]! + added;
      } else {
        for (let k = value; k < value + count; k++) {
          const term = parts[k]!;
          const at = term * recordWords + frequency;
          if (frequencies[at] === 0) touched[touchedCount++] = term;
          frequencies[at] = frequencies[at]! + added;
        }
      }
    }
    this.#touchedCount = touchedCount;
    return counted;
  }

  /** Adds the weight of a definition to each term of one identifier already counted in the chunk. */
  #weigh(bytes: Uint8Array, start: number, end: number): void {
    const count = this.#splitter.split(bytes, start, end);
    for (let k = 0; k < count; k++) this.#touch(this.#splitTerm(k), this.#settings.fields.definition);
  }

  /** A run too long to remember: text without spaces, such as Chinese. Of ASCII it is data, and left out. */
  #longRun(bytes: Uint8Array, start: number, end: number, weight: number): number {
    let i = start;
    while (i < end && bytes[i]! < 128) i++;
    if (i === end) return 0;
    const count = this.#splitter.split(bytes, start, end);
    for (let k = 0; k < count; k++) this.#touch(this.#splitTerm(k), weight);
    return count;
  }

  #touch(term: number, weight: number): void {
    const at = term * recordWords + frequency;
    const records = this.postings.records;
    if (records[at] === 0) {
      if (this.#touchedCount === this.#touched.length) this.#touched = grownWords(this.#touched, 0);
      this.#touched[this.#touchedCount++] = term;
    }
    records[at] = records[at]! + weight;
  }

  #splitTerm(k: number): number {
    const from = this.#splitter.ends[k]!;
    return this.termOf(this.#splitter.bytes, from, this.#splitter.ends[k + 1]! - from);
  }

  #newIdentifier(
    slot: number,
    bytes: Uint8Array,
    start: number,
    length: number,
    first: number,
    second: number,
  ): number {
    const count = this.#splitter.split(bytes, start, start + length);
    const id = this.#identifiers.add(slot, first, second, length | (count << 8) | (this.#role << 16));
    const value = (id << 2) + 3;
    if (count === 1) this.#identifiers.records[value] = this.#splitTerm(0);
    else {
      const from = this.#partsLength;
      if (from + count > this.#parts.length) this.#parts = grownWords(this.#parts, from + count);
      for (let k = 0; k < count; k++) this.#parts[from + k] = this.#splitTerm(k);
      this.#partsLength += count;
      this.#identifiers.records[value] = from;
    }
    return id;
  }

  /** Gives a word its role at the start of a line, before any file is read. */
  #declare(word: string, role: number): void {
    this.#role = role;
    const bytes = encoder.encode(word);
    this.#scan(bytes, 0, bytes.length, 0, false, false);
    this.#role = 0;
    this.#touchedCount = 0;
  }

  #finishChunk(chunk: number): void {
    const { postings } = this;
    const { records } = postings;
    for (let k = 0; k < this.#touchedCount; k++) {
      const at = this.#touched[k]! * recordWords;
      const tf = records[at + frequency]!;
      records[at + frequency] = 0;
      postings.append(at, chunk, Math.min(tf, mostFrequent));
    }
    this.#touchedCount = 0;
  }
}
