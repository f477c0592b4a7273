import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { temporaryName } from '../../replace-file.ts';
import { writeFileTimes } from '../read/file-times.ts';
import {
  bucketOf,
  chunkTableBytes,
  encodeHeader,
  fileColumnBytes,
  headerBytes,
  termsPerBucket,
} from '../read/segment-format.ts';
import { addToFilter, filterBytes } from '../read/term-filter.ts';
import type { SegmentTables } from './tables.ts';

/** Terms, numbered from 1. Each has a record of four words: hash, offset in the pool, length, and a word not used here. */
export interface GatheredTerms {
  /** One more than the number of terms. */
  readonly next: number;
  readonly records: Int32Array;
  readonly pool: Uint8Array;
}

/** The data of a segment to write. */
export interface GatheredSegment {
  readonly tables: SegmentTables;
  /** Valid until `encodePostings` is called. */
  readonly terms: GatheredTerms;
  documentFrequency(term: number): number;
  /** Number of bytes of the term's postings. */
  byteLength(term: number): number;
  /** Returns the postings of these terms, in this order. Called once, at the end. */
  encodePostings(order: Uint32Array): Uint8Array;
}

export interface SegmentPlace {
  /** The folder of the index. */
  readonly directory: string;
  /** The generation of the manifest that will list the segment. */
  readonly generation: number;
  /** Whether the segment is flushed to disk before it is renamed. Default true. */
  readonly synced?: boolean;
}

/** Writes a segment under a temporary name, syncs and renames it. Returns the file name. */
export function writeSegment(
  gathered: GatheredSegment,
  { directory, generation, synced = true }: SegmentPlace,
): string {
  const temporary = temporaryName(join(directory, 'segment'));
  const output = new Output(openSync(temporary, 'w'));
  try {
    output.skip(headerBytes);
    const offsets = writeBuckets(gathered, output);
    const bucketsCrc = output.takeCrc();
    const chunkTables = output.position;
    const { tables } = gathered;
    const filter = createFilter(gathered.terms);
    output.writeBytes(encodeChunkTable(offsets, filter, tables));
    const chunkTablesCrc = output.takeCrc();
    const fileTables = output.position;
    output.writeBytes(encodeFileTable(tables));
    const fileTablesCrc = output.takeCrc();
    const end = output.position;
    output.writeHeader(
      encodeHeader(
        {
          buckets: offsets.length - 1,
          chunks: tables.chunks,
          files: tables.paths.length,
          terms: gathered.terms.next - 1,
          filterBytes: filter.length,
          totalLength: tables.totalLength,
          chunkTables,
          fileTables,
          end,
          bucketsCrc,
          chunkTablesCrc,
          fileTablesCrc,
        },
        crc32,
      ),
    );
    output.close(synced);
    const checksums = [bucketsCrc, chunkTablesCrc, fileTablesCrc].map((crc) =>
      crc.toString(16).padStart(8, '0'),
    );
    const name = `${generation}-${checksums.join('')}.seg`;
    const path = join(directory, name);
    writeFileTimes(path, tables.stamps);
    renameSync(temporary, path);
    return name;
  } catch (error) {
    output.abandon();
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** The terms of bucket `b` are `order[starts[b], starts[b + 1])`. */
function sortIntoBuckets(terms: GatheredTerms, bits: number): { order: Uint32Array; starts: Uint32Array } {
  const { next, records } = terms;
  const starts = new Uint32Array((1 << bits) + 1);
  const buckets = new Uint32Array(next);
  for (let term = 1; term < next; term++) {
    const bucket = bucketOf(records[term << 2]!, bits);
    buckets[term] = bucket;
    starts[bucket + 1]!++;
  }
  for (let b = 0; b < starts.length - 1; b++) starts[b + 1]! += starts[b]!;
  const positions = starts.slice();
  const order = new Uint32Array(next - 1);
  for (let term = 1; term < next; term++) order[positions[buckets[term]!]!++] = term;
  return { order, starts };
}

/** Returns the offset of each bucket, and the end of the last. */
function writeBuckets(gathered: GatheredSegment, output: Output): Float64Array {
  const bits = Math.max(0, Math.ceil(Math.log2(Math.max(1, gathered.terms.next / termsPerBucket))));
  const { order, starts } = sortIntoBuckets(gathered.terms, bits);
  const postings = gathered.encodePostings(order);
  const { records, pool } = gathered.terms;
  const offsets = new Float64Array((1 << bits) + 1);
  let copied = 0;
  for (let b = 0; b < 1 << bits; b++) {
    offsets[b] = output.position;
    const from = starts[b]!;
    const to = starts[b + 1]!;
    output.writeVarint(to - from);
    let bytes = 0;
    for (let k = from; k < to; k++) {
      const term = order[k]!;
      const record = term << 2;
      const length = gathered.byteLength(term);
      output.writeTerm(pool, records[record + 1]!, records[record + 2]!);
      output.writeVarint(gathered.documentFrequency(term));
      output.writeVarint(length);
      bytes += length;
    }
    output.writeBytes(postings.subarray(copied, copied + bytes));
    copied += bytes;
  }
  offsets[1 << bits] = output.position;
  return offsets;
}

function createFilter(terms: GatheredTerms): Uint8Array {
  const filter = new Uint8Array(filterBytes(terms.next - 1));
  for (let term = 1; term < terms.next; term++) addToFilter(filter, terms.records[term << 2]!);
  return filter;
}

function encodeChunkTable(offsets: Float64Array, filter: Uint8Array, tables: SegmentTables): Uint8Array {
  const files = tables.paths.length;
  const { chunks } = tables;
  const buffer = new ArrayBuffer(
    chunkTableBytes({ buckets: offsets.length - 1, filterBytes: filter.length, chunks, files }),
  );
  let at = 0;
  new Float64Array(buffer, at, offsets.length).set(offsets);
  at += offsets.byteLength;
  new Uint8Array(buffer, at, filter.length).set(filter);
  at += filter.length;
  const firstChunks = new Uint32Array(buffer, at, files + 1);
  firstChunks.set(tables.firstChunks);
  firstChunks[files] = chunks;
  at += firstChunks.byteLength;
  new Uint32Array(buffer, at, chunks).set(tables.firstLines.subarray(0, chunks));
  at += chunks * 4;
  new Uint32Array(buffer, at, chunks).set(tables.lastLines.subarray(0, chunks));
  at += chunks * 4;
  new Uint16Array(buffer, at, chunks).set(tables.lengths.subarray(0, chunks));
  return new Uint8Array(buffer);
}

function encodeFileTable(tables: SegmentTables): Uint8Array {
  const files = tables.paths.length;
  const paths = tables.paths.map((path) => Buffer.from(path));
  const columns = fileColumnBytes(files);
  const total = paths.reduce((sum, path) => sum + path.length, columns);
  const buffer = new ArrayBuffer(total);
  const sizes = new Float64Array(buffer, 0, files);
  const sums = new Uint32Array(buffer, files * 8, files);
  const ends = new Uint32Array(buffer, files * 12, files);
  const bytes = new Uint8Array(buffer);
  let at = columns;
  for (let f = 0; f < files; f++) {
    const stamp = tables.stamps[f]!;
    sizes[f] = stamp.size;
    sums[f] = stamp.crc;
    bytes.set(paths[f]!, at);
    at += paths[f]!.length;
    ends[f] = at - columns;
  }
  return bytes;
}

const outputBytes = 1 << 20;

/** A buffered file that computes the checksum of the written bytes. */
class Output {
  readonly #file: number;
  #buffer = Buffer.allocUnsafe(outputBytes);
  #used = 0;
  #flushed = 0;
  #crc = 0;

  constructor(file: number) {
    this.#file = file;
  }

  get position(): number {
    return this.#flushed + this.#used;
  }

  /** Leaves room for the header; only at the start. */
  skip(bytes: number): void {
    this.#flushed = bytes;
  }

  writeVarint(value: number): void {
    this.#makeRoom(8);
    let rest = value;
    while (rest > 127) {
      this.#buffer[this.#used++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.#buffer[this.#used++] = rest;
  }

  /** Writes a length byte and that many bytes. */
  writeTerm(source: Uint8Array, from: number, length: number): void {
    this.#makeRoom(length + 1);
    this.#buffer[this.#used++] = length;
    for (let k = 0; k < length; k++) this.#buffer[this.#used++] = source[from + k]!;
  }

  writeBytes(source: Uint8Array): void {
    this.#makeRoom(source.length);
    this.#buffer.set(source, this.#used);
    this.#used += source.length;
  }

  /** Returns the checksum of the bytes since the last call. */
  takeCrc(): number {
    this.#flush();
    const crc = this.#crc;
    this.#crc = 0;
    return crc;
  }

  writeHeader(bytes: Uint8Array): void {
    this.#flush();
    writeSync(this.#file, bytes, 0, bytes.length, 0);
  }

  close(synced: boolean): void {
    if (synced) fsyncSync(this.#file);
    closeSync(this.#file);
  }

  abandon(): void {
    try {
      closeSync(this.#file);
    } catch {
      // It was closed before the failure.
    }
  }

  #makeRoom(length: number): void {
    if (this.#used + length <= this.#buffer.length) return;
    this.#flush();
    if (length > this.#buffer.length) this.#buffer = Buffer.allocUnsafe(length);
  }

  #flush(): void {
    if (this.#used === 0) return;
    this.#crc = crc32(this.#buffer.subarray(0, this.#used), this.#crc);
    let written = 0;
    while (written < this.#used) {
      written += writeSync(this.#file, this.#buffer, written, this.#used - written, this.#flushed + written);
    }
    this.#flushed += this.#used;
    this.#used = 0;
  }
}
