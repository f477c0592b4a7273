/** Writes the changed documents of a collection into its index. */
import { crc32 } from 'node:zlib';
import type { DocumentChange } from './documents.ts';
import { SegmentBuilder } from './lexical/build/builder.ts';
import type { WrittenSegment } from './lexical/build/file-indexer.ts';
import { writeSegment } from './lexical/build/segment-writer.ts';
import { type ByteMask, createByteMask } from './lexical/mask-bytes.ts';
import { createPause, throwIfCancelled } from './lexical/pausing.ts';
import {
  type IndexBefore,
  type IndexPlace,
  nextGeneration,
  type RefreshTask,
} from './lexical/read/open-index.ts';
import { commit } from './lexical/refresh/commit.ts';
import { KnownFiles } from './lexical/refresh/known-files.ts';
import type { Manifest } from './manifest.ts';

/** Size of the log, in bytes, at which a segment is written; limits the memory. A segment has about half this size. */
const maxLogBytes = 80 << 20;
/**
 * Expected number of distinct identifiers in an update; a first build expects sixteen times as many. Tables grow as
 * needed.
 */
const expectedIdentifiers = 1 << 12;

export interface ChangedDocuments {
  readonly before: IndexBefore;
  /** The last change of each document. */
  readonly changes: Iterable<DocumentChange>;
  /** The number of the last change. */
  readonly cursor: number;
}

export interface WrittenDocuments {
  readonly manifest: Manifest;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

export async function writeDocuments(
  place: IndexPlace,
  task: RefreshTask,
  { before, changes, cursor }: ChangedDocuments,
): Promise<WrittenDocuments> {
  const knownFiles = new KnownFiles(before.segments, null);
  const writer = new DocumentWriter(place, before);
  const dead = new Map<number, number[]>();
  const pause = createPause();
  let added = 0;
  let changed = 0;
  let removed = 0;
  let removedBytes = 0;
  for (const { path, content } of changes) {
    const old = before.segments.length === 0 ? undefined : knownFiles.get(path);
    if (old?.kind === 'indexed') {
      const deadFiles = dead.get(old.segment);
      if (deadFiles === undefined) dead.set(old.segment, [old.file]);
      else deadFiles.push(old.file);
      removedBytes += old.stamp.size;
      if (content === null) removed++;
      else changed++;
    } else if (content !== null) added++;
    if (content !== null) writer.add(path, content);
    await pause();
    throwIfCancelled(task.signal);
  }
  const segments = writer.finish();
  const manifest = commit(place, task, {
    before,
    dead,
    indexed: { segments, passed: [], encoded: [], gone: [] },
    removedBytes,
    tree: null,
    cursor,
  });
  return { manifest, added, changed, removed };
}

/** Gathers documents into segments. */
class DocumentWriter {
  readonly #place: IndexPlace;
  readonly #generation: number;
  readonly #capacity: number;
  readonly #mask: ByteMask | null;
  readonly #segments: WrittenSegment[] = [];
  #builder: SegmentBuilder;
  #bytes = 0;

  constructor(place: IndexPlace, before: IndexBefore) {
    this.#place = place;
    this.#generation = nextGeneration(before);
    this.#mask = place.mask === undefined ? null : createByteMask(place.mask);
    this.#capacity = before.segments.length === 0 ? expectedIdentifiers << 4 : expectedIdentifiers;
    this.#builder = new SegmentBuilder(place.settings, this.#capacity);
  }

  add(path: string, content: string): void {
    const bytes = Buffer.from(content);
    const stamp = { size: bytes.length, modified: 0, changed: 0, inode: 0, crc: crc32(bytes) };
    this.#builder.reserve(bytes.length).set(bytes);
    const room = (length: number) => this.#builder.reserve(length);
    const length = this.#mask?.apply(bytes, bytes.length, room) ?? bytes.length;
    this.#builder.addFile(path, length, stamp);
    this.#bytes += bytes.length;
    if (!this.#builder.isFull(maxLogBytes)) return;
    this.#write();
    this.#builder = new SegmentBuilder(this.#place.settings, this.#capacity);
  }

  finish(): readonly WrittenSegment[] {
    if (this.#builder.tables.paths.length > 0) this.#write();
    return this.#segments;
  }

  #write(): void {
    const name = writeSegment(this.#builder, {
      directory: this.#place.directory,
      generation: this.#generation,
    });
    const { tables } = this.#builder;
    this.#segments.push({ name, files: tables.paths.length, chunks: tables.chunks, bytes: this.#bytes });
    this.#bytes = 0;
  }
}
