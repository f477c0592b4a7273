import type { FileStamp } from '../stamp.ts';
import { fileColumnBytes } from './segment-format.ts';

/** The paths and stamps of a segment's files, over the bytes in which the segment keeps them. */
export class FileTables {
  readonly #stamps: Float64Array;
  readonly #sums: Uint32Array;
  readonly #ends: Uint32Array;
  readonly #paths: Buffer;
  readonly #decoded: string[] = [];
  readonly #files: number;

  constructor(bytes: Uint8Array<ArrayBuffer>, files: number) {
    this.#files = files;
    this.#stamps = new Float64Array(bytes.buffer, 0, files * 4);
    this.#sums = new Uint32Array(bytes.buffer, files * 32, files);
    this.#ends = new Uint32Array(bytes.buffer, files * 36, files);
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

  /** The files of this very path, dead ones among them. */
  at(path: Uint8Array): number[] {
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
    return {
      size: this.#stamps[file]!,
      modified: this.#stamps[this.#files + file]!,
      changed: this.#stamps[2 * this.#files + file]!,
      inode: this.#stamps[3 * this.#files + file]!,
      crc: this.#sums[file]!,
    };
  }
}
