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

/** A file that was looked into and left out. */
export interface PassedFile {
  readonly path: string;
  readonly reason: PassedReason;
  readonly stamp: FileStamp;
}

/** A file whose text is not what its bytes say when they are taken for UTF-8 without NULs. */
export type EncodedFile = readonly [path: string, encoding: Encoding];

export interface WrittenSegment {
  readonly name: string;
  readonly files: number;
  readonly chunks: number;
  /** The size of its files. */
  readonly bytes: number;
}

export interface IndexedFiles {
  readonly segments: readonly WrittenSegment[];
  readonly passed: readonly PassedFile[];
  readonly encoded: readonly EncodedFile[];
  /** Paths that were no files any more. */
  readonly gone: readonly string[];
}

export interface FileIndexing extends SegmentPlace {
  readonly root: string;
  readonly settings: IndexSettings;
  readonly limits: WalkLimits;
  /** Absent: nothing is hidden. */
  readonly mask?: MaskRecipe | undefined;
  /** Identifiers expected, for the size of the first tables. */
  readonly capacity: number;
  /** The compiled inner loops; compiled again where absent. */
  readonly kernel?: WebAssembly.Module;
}

/** Log gathered before a segment is written, about twice its size: bounds the memory of a large tree. In bytes. */
const maxLogBytes = 80 << 20;

/** Reads files and gathers them into segments. Used by the main thread for a few files, by workers for many. */
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

  /** The content with its secrets hidden. */
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
