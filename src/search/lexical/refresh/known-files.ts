import type { PassedFile } from '../build/file-indexer.ts';
import type { LiveSegment } from '../read/corpus.ts';
import type { FileStamp } from '../stamp.ts';
import type { TreeState } from './tree-state.ts';

/** A file that the index knows. */
export type KnownFile =
  | {
      readonly kind: 'indexed';
      readonly path: string;
      /** The number of the segment, and of the file in the segment. */
      readonly segment: number;
      readonly file: number;
      readonly stamp: FileStamp;
    }
  | { readonly kind: 'passed'; readonly path: string; readonly stamp: FileStamp };

/** All files that the index knows. Looks up single files without listing all. */
export class KnownFiles {
  readonly #segments: readonly LiveSegment[];
  readonly #dead: readonly ReadonlySet<number>[];
  readonly #passed: ReadonlyMap<string, PassedFile>;
  readonly #restamped: ReadonlyMap<string, FileStamp>;
  readonly #passedInOrder: readonly PassedFile[];
  /** One more than the highest number for `byNumber`. */
  readonly count: number;

  constructor(segments: readonly LiveSegment[], state: TreeState | null) {
    this.#segments = segments;
    this.#dead = segments.map(({ dead }) => new Set(dead));
    this.#passed = new Map(state?.passed.map((passed) => [passed.path, passed]));
    this.#restamped = new Map(state?.restamped);
    this.#passedInOrder = [...this.#passed.values()];
    this.count = segments.reduce((sum, { segment }) => sum + segment.header.files, this.#passed.size);
  }

  /** The file with this number, or null if it is dead. Numbers are valid for the same segments and state. */
  byNumber(number: number): KnownFile | null {
    let file = number;
    for (let segment = 0; segment < this.#segments.length; segment++) {
      const { files } = this.#segments[segment]!.segment.header;
      if (file < files) return this.#dead[segment]!.has(file) ? null : this.#readFile(segment, file);
      file -= files;
    }
    const passed = this.#passedInOrder[file];
    return passed === undefined ? null : { kind: 'passed', path: passed.path, stamp: passed.stamp };
  }

  get(path: string): KnownFile | undefined {
    const passed = this.#passed.get(path);
    if (passed !== undefined) return { kind: 'passed', path, stamp: passed.stamp };
    const bytes = Buffer.from(path);
    for (let number = 0; number < this.#segments.length; number++) {
      for (const file of this.#segments[number]!.segment.findFiles(bytes)) {
        if (!this.#dead[number]!.has(file)) return this.#readFile(number, file);
      }
    }
    return undefined;
  }

  /** The files below a folder; all files for an empty path. */
  *listBelow(folder: string): Generator<KnownFile> {
    const start = folder === '' ? '' : `${folder}/`;
    for (let number = 0; number < this.#segments.length; number++) {
      const { segment } = this.#segments[number]!;
      const dead = this.#dead[number]!;
      for (let file = 0; file < segment.header.files; file++) {
        if (!dead.has(file) && segment.path(file).startsWith(start)) yield this.#readFile(number, file);
      }
    }
    for (const { path, stamp } of this.#passed.values()) {
      if (path.startsWith(start)) yield { kind: 'passed', path, stamp };
    }
  }

  #readFile(segment: number, file: number): KnownFile {
    const from = this.#segments[segment]!.segment;
    const path = from.path(file);
    const fileStamp = from.stamp(file);
    const newStamp = this.#restamped.get(path);
    // A newer stamp is used only if it is for the content in this segment.
    const stamp =
      newStamp !== undefined && newStamp.crc === fileStamp.crc && newStamp.size === fileStamp.size
        ? newStamp
        : fileStamp;
    return { kind: 'indexed', path, segment, file, stamp };
  }
}
