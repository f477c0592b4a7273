import type { FileStamp } from '../stamp.ts';

/** The tables of a segment's chunks and files, while it is built. */
export class SegmentTables {
  chunks = 0;
  firstLines = new Uint32Array(1024);
  lastLines = new Uint32Array(1024);
  /** Terms counted in the chunk, at most 65,535. */
  lengths = new Uint16Array(1024);
  /** Sum of `lengths`. */
  totalLength = 0;
  readonly paths: string[] = [];
  /** The first chunk of each file. */
  readonly firstChunks: number[] = [];
  readonly stamps: FileStamp[] = [];

  addFile(path: string, stamp: FileStamp): void {
    this.paths.push(path);
    this.firstChunks.push(this.chunks);
    this.stamps.push(stamp);
  }

  /** Returns the chunk's id. */
  addChunk(firstLine: number, lastLine: number, length: number): number {
    const chunk = this.chunks++;
    if (chunk === this.lengths.length) {
      this.firstLines = enlarge(this.firstLines, Uint32Array);
      this.lastLines = enlarge(this.lastLines, Uint32Array);
      this.lengths = enlarge(this.lengths, Uint16Array);
    }
    const counted = Math.min(length, 0xffff);
    this.firstLines[chunk] = firstLine;
    this.lastLines[chunk] = lastLine;
    this.lengths[chunk] = counted;
    this.totalLength += counted;
    return chunk;
  }
}

function enlarge<A extends Uint16Array | Uint32Array>(array: A, type: new (length: number) => A): A {
  const larger = new type(array.length * 2);
  larger.set(array);
  return larger;
}
