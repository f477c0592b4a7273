import type { FileStamp } from '../stamp.ts';
import type { FileTimes } from './file-times.ts';
import { fileColumnBytes } from './segment-format.ts';

/**
 * The paths and stamps of a segment's files: a view of the segment's bytes, with times from the file beside it.
 */
export class FileTables {
  readonly #sizes: Float64Array;
  readonly #sums: Uint32Array;
  readonly #ends: Uint32Array;
  readonly #paths: Buffer;
  readonly #decoded: string[] = [];
  readonly #files: number;
  readonly #readTimes: () => FileTimes;
  #times: FileTimes | undefined;

  /** `readTimes` is called for the first stamp. */
  constructor(bytes: Uint8Array<ArrayBuffer>, files: number, readTimes: () => FileTimes) {
    this.#files = files;
    this.#readTimes = readTimes;
    this.#sizes = new Float64Array(bytes.buffer, 0, files);
    this.#sums = new Uint32Array(bytes.buffer, files * 8, files);
    this.#ends = new Uint32Array(bytes.buffer, files * 12, files);
    this.#paths = Buffer.from(bytes.buffer, fileColumnBytes(files));
  }

  path(file: number): string {
    let path = this.#decoded[file];
    if (path === undefined) {
      path = this.#paths.toString('utf8', file === 0 ? 0 : this.#ends[file - 1]!, this.#ends[file]!);
      this.#decoded[file] = path;
    }
    return path;
  }

  /** The files with exactly this path, including dead ones. */
  findByPath(path: Uint8Array): number[] {
    const found: number[] = [];
    let start = 0;
    for (let file = 0; file < this.#files; file++) {
      const end = this.#ends[file]!;
      const fits = end - start === path.length && this.#paths[end - 1] === path[path.length - 1];
      if (fits && this.#paths.compare(path, 0, path.length, start, end) === 0) found.push(file);
      start = end;
    }
    return found;
  }

  stamp(file: number): FileStamp {
    this.#times ??= this.#readTimes();
    const { modified, changed, inode } = this.#times;
    return {
      size: this.#sizes[file]!,
      modified: modified[file]!,
      changed: changed[file]!,
      inode: inode[file]!,
      crc: this.#sums[file]!,
    };
  }
}
