import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { FileStamp } from '../stamp.ts';
import { BucketCursor } from './bucket-cursor.ts';
import { FileTables } from './file-tables.ts';
import { readFileTimes } from './file-times.ts';
import {
  bucketOf,
  chunkTableBytes,
  decodeHeader,
  headerBytes,
  type SegmentHeader,
} from './segment-format.ts';
import { mayContain } from './term-filter.ts';

/** A term's entry in one segment. */
export interface TermPostings {
  readonly documentFrequency: number;
  readonly bytes: Uint8Array;
}

/** Enough for the terms of most buckets, and the postings of rare terms. */
const firstReadBytes = 2048;

/** After this many reads the process loads the segment into memory. */
const readsBeforeLoading = 300;
/** A larger segment is never loaded: the system's cache has to do. */
const maxLoadedBytes = 64 << 20;

/** A segment file opened for reading. Keeps reading the same content after the file is replaced or removed. */
export class Segment {
  readonly header: SegmentHeader;
  /** The first chunk of each file, plus one entry at the end. */
  readonly firstChunks: Uint32Array;
  readonly firstLines: Uint32Array;
  readonly lastLines: Uint32Array;
  readonly lengths: Uint16Array;
  readonly #path: string;
  readonly #file: number;
  readonly #offsets: Float64Array;
  readonly #bucketBits: number;
  readonly #filter: Uint8Array;
  #fileTables: FileTables | undefined;
  #loaded: Uint8Array | null = null;
  #reads = 0;

  /** Null if the file is missing or truncated, or its header or tables are damaged. */
  static open(path: string): Segment | null {
    let file: number;
    try {
      file = openSync(path, 'r');
    } catch {
      return null;
    }
    const segment = readTables(file);
    if (segment === null) closeSync(file);
    return segment === null ? null : new Segment(path, file, segment.header, segment.tables);
  }

  private constructor(path: string, file: number, header: SegmentHeader, tables: Uint8Array<ArrayBuffer>) {
    this.#path = path;
    this.#file = file;
    this.header = header;
    this.#bucketBits = Math.log2(header.buckets);
    const { buffer } = tables;
    let at = 0;
    this.#offsets = new Float64Array(buffer, at, header.buckets + 1);
    at += (header.buckets + 1) * 8;
    this.#filter = new Uint8Array(buffer, at, header.filterBytes);
    at += header.filterBytes;
    this.firstChunks = new Uint32Array(buffer, at, header.files + 1);
    at += (header.files + 1) * 4;
    this.firstLines = new Uint32Array(buffer, at, header.chunks);
    at += header.chunks * 4;
    this.lastLines = new Uint32Array(buffer, at, header.chunks);
    at += header.chunks * 4;
    this.lengths = new Uint16Array(buffer, at, header.chunks);
  }

  path(file: number): string {
    return this.#loadFileTables().path(file);
  }

  stamp(file: number): FileStamp {
    return this.#loadFileTables().stamp(file);
  }

  /** The files with exactly this path, including dead ones. */
  findFiles(path: Uint8Array): number[] {
    return this.#loadFileTables().findByPath(path);
  }

  /** False if no chunk can have a term with this hash. Reads nothing from disk. */
  mayHave(hash: number): boolean {
    return mayContain(this.#filter, hash);
  }

  /** Null if no chunk has the term. `hash` is the term's hash. */
  find(term: Uint8Array, hash: number): TermPostings | null {
    const bucket = bucketOf(hash, this.#bucketBits);
    const offset = this.#offsets[bucket]!;
    const length = this.#offsets[bucket + 1]! - offset;
    let bytes = this.#readBuckets(offset, Math.min(length, firstReadBytes));
    let cursor = new BucketCursor(bytes);
    let before = 0;
    let found: { documentFrequency: number; length: number; before: number } | null = null;
    for (let left = cursor.readVarint(); left > 0; left--) {
      if (cursor.at + 300 > bytes.length && bytes.length < length) {
        bytes = this.#readBuckets(offset, Math.min(length, bytes.length * 4));
        cursor = new BucketCursor(bytes, cursor.at);
      }
      const isTerm = cursor.readAndCompare(term);
      const documentFrequency = cursor.readVarint();
      const postings = cursor.readVarint();
      if (isTerm) found = { documentFrequency, length: postings, before };
      before += postings;
    }
    if (found === null) return null;
    const from = cursor.at + found.before;
    const isRead = from + found.length <= bytes.length;
    return {
      documentFrequency: found.documentFrequency,
      bytes: isRead
        ? bytes.subarray(from, from + found.length)
        : this.#readBuckets(offset + from, found.length),
    };
  }

  /** Calls `visit` for every term. The arrays are valid only during the call. */
  forEachTerm(visit: (term: Uint8Array, postings: TermPostings) => void): void {
    for (let b = 0; b < this.header.buckets; b++) {
      const offset = this.#offsets[b]!;
      const bytes = readBytes(this.#file, offset, this.#offsets[b + 1]! - offset);
      const cursor = new BucketCursor(bytes);
      const entries: { term: Uint8Array; documentFrequency: number; length: number }[] = [];
      for (let left = cursor.readVarint(); left > 0; left--) {
        const term = cursor.readTerm();
        entries.push({ term, documentFrequency: cursor.readVarint(), length: cursor.readVarint() });
      }
      let at = cursor.at;
      for (const { term, documentFrequency, length } of entries) {
        visit(term, { documentFrequency, bytes: bytes.subarray(at, at + length) });
        at += length;
      }
    }
  }

  /** Reads the whole file and compares every checksum. */
  verify(): boolean {
    const { header } = this;
    const sections = [
      [headerBytes, header.chunkTables, header.bucketsCrc],
      [header.chunkTables, header.fileTables, header.chunkTablesCrc],
      [header.fileTables, header.end, header.fileTablesCrc],
    ] as const;
    return sections.every(([from, to, expected]) => checksum(this.#file, from, to) === expected);
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Reads bytes of the buckets, from memory if the segment was loaded. */
  #readBuckets(offset: number, length: number): Uint8Array {
    const size = this.header.chunkTables - headerBytes;
    if (this.#loaded === null && this.#reads++ >= readsBeforeLoading && size <= maxLoadedBytes) {
      this.#loaded = readBytes(this.#file, headerBytes, size);
    }
    return this.#loaded === null
      ? readBytes(this.#file, offset, length)
      : this.#loaded.subarray(offset - headerBytes, offset - headerBytes + length);
  }

  #loadFileTables(): FileTables {
    this.#fileTables ??= new FileTables(
      readBytes(this.#file, this.header.fileTables, this.header.end - this.header.fileTables),
      this.header.files,
      () => readFileTimes(this.#path, this.header.files),
    );
    return this.#fileTables;
  }
}

/** Returns a new buffer, so that typed arrays over it are aligned. */
function readBytes(file: number, offset: number, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let done = 0;
  while (done < length) {
    const count = readSync(file, bytes, done, length - done, offset + done);
    if (count === 0) break;
    done += count;
  }
  return bytes;
}

function checksum(file: number, from: number, to: number): number {
  let crc = 0;
  const piece = 1 << 20;
  for (let at = from; at < to; at += piece) crc = crc32(readBytes(file, at, Math.min(piece, to - at)), crc);
  return crc;
}

function readTables(file: number): { header: SegmentHeader; tables: Uint8Array<ArrayBuffer> } | null {
  const header = decodeHeader(readBytes(file, 0, headerBytes), crc32);
  if (header === null || fstatSync(file).size !== header.end) return null;
  const length = header.fileTables - header.chunkTables;
  if (length !== chunkTableBytes(header)) return null;
  const tables = readBytes(file, header.chunkTables, length);
  return crc32(tables) === header.chunkTablesCrc ? { header, tables } : null;
}
