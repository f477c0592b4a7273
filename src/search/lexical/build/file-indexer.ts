import type { MaskRecipe } from '../../../core/index.ts';
import type { Encoding } from '../../decoding.ts';
import type { WalkLimits } from '../../walk/walk-limits.ts';
import { type ByteMask, createByteMask } from '../mask-bytes.ts';
import type { IndexSettings } from '../settings.ts';
import type { FileStamp } from '../stamp.ts';
import { SegmentBuilder } from './builder.ts';
import type { Bytes } from './byte-table.ts';
import { type FileRead, FileReader, type PassedReason } from './file-reader.ts';
import { type SegmentPlace, writeSegment } from './segment-writer.ts';

/** A file that was opened, and not indexed. */
export interface PassedFile {
  readonly path: string;
  readonly reason: PassedReason;
  readonly stamp: FileStamp;
}

/** An indexed file that is not plain UTF-8: it has another encoding, or NUL bytes. */
export type EncodedFile = readonly [path: string, encoding: Encoding];

export interface WrittenSegment {
  readonly name: string;
  readonly files: number;
  readonly chunks: number;
  /** Total size of its files. */
  readonly bytes: number;
}

export interface IndexedFiles {
  readonly segments: readonly WrittenSegment[];
  readonly passed: readonly PassedFile[];
  readonly encoded: readonly EncodedFile[];
  /** Paths that are no longer files. */
  readonly gone: readonly string[];
}

export interface FileIndexing extends SegmentPlace {
  readonly root: string;
  readonly settings: IndexSettings;
  readonly limits: WalkLimits;
  /** Absent: secrets are not hidden. */
  readonly mask?: MaskRecipe | undefined;
  /** Expected number of identifiers; sets the initial size of the tables. */
  readonly capacity: number;
  /** The compiled kernel. Absent: it is compiled again. */
  readonly kernel?: WebAssembly.Module;
}

/** Size of the log, in bytes, at which a segment is written; limits the memory. A segment has about half this size. */
const maxLogBytes = 80 << 20;

/** Reads files and writes them into segments. Runs in the main thread for a few files, in workers for many. */
export class FileIndexer {
  readonly #task: FileIndexing;
  readonly #reader: FileReader;
  readonly #mask: ByteMask | null;
  #builder: SegmentBuilder;
  #bytes = 0;
  readonly #segments: WrittenSegment[] = [];
  readonly #passed: PassedFile[] = [];
  readonly #encoded: EncodedFile[] = [];
  readonly #gone: string[] = [];

  constructor(task: FileIndexing) {
    this.#task = task;
    this.#builder = new SegmentBuilder(task.settings, task.capacity, task.kernel);
    this.#reader = new FileReader(task.root, task.limits, (length) => this.#builder.reserve(length));
    this.#mask = task.mask === undefined ? null : createByteMask(task.mask);
  }

  add(path: string): void {
    const file = this.#reader.read(path);
    if (file.kind === 'gone') this.#gone.push(path);
    else if (file.kind === 'passed') this.#passed.push({ path, reason: file.reason, stamp: file.stamp });
    else {
      if (file.encoding !== null) this.#encoded.push([path, file.encoding]);
      this.#builder.addText(path, this.#hideSecrets(file), file.stamp);
      this.#bytes += file.stamp.size;
      if (this.#builder.isFull(maxLogBytes)) {
        this.#write();
        const { settings, capacity, kernel } = this.#task;
        this.#builder = new SegmentBuilder(settings, capacity, kernel);
      }
    }
  }

  /** Returns the content with its secrets masked. */
  #hideSecrets({ bytes, length }: Extract<FileRead, { kind: 'text' }>): Bytes {
    let text = bytes;
    const masked = this.#mask?.apply(bytes, length, (max) => {
      text = new Uint8Array(max);
      return text;
    });
    return text.subarray(0, masked ?? length);
  }

  finish(): IndexedFiles {
    if (this.#builder.tables.paths.length > 0) this.#write();
    return { segments: this.#segments, passed: this.#passed, encoded: this.#encoded, gone: this.#gone };
  }

  #write(): void {
    const name = writeSegment(this.#builder, this.#task);
    const { tables } = this.#builder;
    this.#segments.push({ name, files: tables.paths.length, chunks: tables.chunks, bytes: this.#bytes });
    this.#bytes = 0;
  }
}
