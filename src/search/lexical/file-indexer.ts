import { join } from 'node:path';
import type { MaskRecipe } from '../../core/index.ts';
import type { WalkLimits } from '../walk-limits.ts';
import { SegmentBuilder } from './builder.ts';
import { FileReader, type PassedReason } from './file-reader.ts';
import { type ByteMask, byteMask } from './mask-bytes.ts';
import { writeSegment } from './segment-writer.ts';
import type { IndexSettings } from './settings.ts';
import type { FileStamp } from './stamp.ts';

/** A file that was looked into and left out. */
export interface PassedFile {
  readonly path: string;
  readonly reason: PassedReason;
  readonly stamp: FileStamp;
}

export interface WrittenSegment {
  readonly name: string;
  readonly files: number;
  readonly chunks: number;
  /** Of the files in it. */
  readonly bytes: number;
}

export interface IndexedFiles {
  readonly segments: readonly WrittenSegment[];
  readonly passed: readonly PassedFile[];
  /** Paths that were no files any more. */
  readonly gone: readonly string[];
}

export interface FileIndexing {
  readonly root: string;
  /** Where segments go. */
  readonly directory: string;
  readonly settings: IndexSettings;
  readonly limits: WalkLimits;
  /** Absent: nothing is hidden. */
  readonly mask?: MaskRecipe | undefined;
  /** Names of segments begin with this. */
  readonly prefix: string;
  /** Identifiers expected, for the size of the first tables. */
  readonly capacity: number;
  /** Of the inner loops; compiled anew where it is not given. */
  readonly kernel?: WebAssembly.Module;
}

/** Log gathered before a segment is written, about twice its size: bounds the memory of a large tree. In bytes. */
const fullSegment = 80 << 20;

/** Reads files and gathers them into segments. Used by the main thread for a few files, by workers for many. */
export class FileIndexer {
  readonly #task: FileIndexing;
  readonly #reader: FileReader;
  readonly #mask: ByteMask | null;
  #builder: SegmentBuilder;
  #bytes = 0;
  readonly #segments: WrittenSegment[] = [];
  readonly #passed: PassedFile[] = [];
  readonly #gone: string[] = [];

  constructor(task: FileIndexing) {
    this.#task = task;
    this.#builder = new SegmentBuilder(task.settings, task.capacity, task.kernel);
    this.#reader = new FileReader(task.root, task.limits, (length) => this.#builder.room(length));
    this.#mask = task.mask === undefined ? null : byteMask(task.mask);
  }

  add(path: string): void {
    const read = this.#reader.read(path);
    if (read.kind === 'gone') this.#gone.push(path);
    else if (read.kind === 'passed') this.#passed.push({ path, reason: read.reason, stamp: read.stamp });
    else {
      const room = (length: number) => this.#builder.room(length);
      const length = this.#mask?.apply(read.bytes, read.length, room) ?? read.length;
      this.#builder.addFile(path, length, read.stamp);
      this.#bytes += read.stamp.size;
      if (this.#builder.isFull(fullSegment)) {
        this.#write();
        const { settings, capacity, kernel } = this.#task;
        this.#builder = new SegmentBuilder(settings, capacity, kernel);
      }
    }
  }

  finish(): IndexedFiles {
    if (this.#builder.tables.paths.length > 0) this.#write();
    return { segments: this.#segments, passed: this.#passed, gone: this.#gone };
  }

  #write(): void {
    const name = `${this.#task.prefix}-${this.#segments.length}.seg`;
    writeSegment(this.#builder, join(this.#task.directory, name));
    const { tables } = this.#builder;
    this.#segments.push({ name, files: tables.paths.length, chunks: tables.chunks, bytes: this.#bytes });
    this.#bytes = 0;
  }
}
