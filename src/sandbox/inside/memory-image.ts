import { type Engine, globalValues, mutableGlobals } from './engine.ts';
import type { RandomState } from './random-stream.ts';
import type { OpenFile } from './wasi.ts';

/** The unit, in bytes, in which a session's memory is compared with the snapshot's. */
export const pageBytes = 4096;
const wasmPage = 65_536;

/** The state of a session between two cells, as the difference from the snapshot. */
export interface MemoryImage {
  /** Size of the memory in bytes. */
  readonly memoryBytes: number;
  /** Numbers of the pages of 4 KiB that differ, ascending. */
  readonly pages: Uint32Array;
  /** The content of these pages, one after another. */
  readonly content: Uint8Array;
  /** The module's own mutable globals, by the name of their export. */
  readonly globals: ReadonlyMap<string, number | bigint>;
  readonly files: readonly OpenFile[];
  readonly random: RandomState;
}

/** Takes about 0.05 ms per MB of memory in use, and the time to copy the pages that differ. */
export function captureImage(engine: Engine, base: Uint8Array, random: RandomState): MemoryImage {
  const memoryBytes = engine.memoryBytes;
  const end = Math.min(memoryBytes, Math.ceil(engine.top / pageBytes) * pageBytes);
  const live = bufferOver(engine.memory.bytes(0, end));
  const snapshot = new SnapshotMemory(base);
  const pages: number[] = [];
  for (let from = 0; from < end; from += wasmPage) {
    const to = Math.min(from + wasmPage, end);
    if (snapshot.equals(live, from, to)) continue;
    for (let offset = from; offset < to; offset += pageBytes)
      if (!snapshot.equals(live, offset, offset + pageBytes)) pages.push(offset / pageBytes);
  }
  const content = new Uint8Array(pages.length * pageBytes);
  pages.forEach((page, i) => {
    content.set(live.subarray(page * pageBytes, (page + 1) * pageBytes), i * pageBytes);
  });
  return {
    memoryBytes,
    pages: Uint32Array.from(pages),
    content,
    globals: globalValues(engine.exports),
    files: engine.wasi.openFiles(),
    random,
  };
}

/**
 * Resets an engine to the image, or to the snapshot, by writing only what differs: that is faster than a new engine,
 * whose memory the system would have to provide again. False if the engine has more memory than the image, since memory
 * can't shrink: then a new engine is needed.
 */
export function resetMemory(engine: Engine, base: Uint8Array, image: MemoryImage | null): boolean {
  const size = image?.memoryBytes ?? base.length;
  const missing = size - engine.memoryBytes;
  if (missing < 0) return false;
  if (missing > 0) (engine.exports['memory'] as WebAssembly.Memory).grow(missing / wasmPage);

  const live = bufferOver(engine.memory.bytes(0, size));
  const content = bufferOver(image?.content ?? new Uint8Array(0));
  const snapshot = new SnapshotMemory(base);
  const numbers = image?.pages ?? new Uint32Array(0);
  let next = 0;
  for (let from = 0; from < size; from += wasmPage) {
    const to = from + wasmPage;
    const hasNoChangedPage = next === numbers.length || numbers[next]! * pageBytes >= to;
    if (hasNoChangedPage && snapshot.equals(live, from, to)) continue;
    for (let offset = from; offset < to; offset += pageBytes) {
      if (numbers[next] === offset / pageBytes)
        content.copy(live, offset, next * pageBytes, ++next * pageBytes);
      else if (!snapshot.equals(live, offset, offset + pageBytes))
        snapshot.copy(live, offset, offset + pageBytes);
    }
  }
  for (const [name, global] of mutableGlobals(engine.exports)) {
    const value = image ? image.globals.get(name) : engine.initialGlobals.get(name);
    if (value !== undefined) (global as WebAssembly.Global<number | bigint>).value = value;
  }
  engine.wasi.reopen(image?.files ?? []);
  return true;
}

/** The snapshot's memory, with zeros beyond its end. A range is of whole units of `pageBytes`, within one page of WebAssembly. */
class SnapshotMemory {
  readonly #bytes: Buffer;
  readonly #zeros = Buffer.alloc(wasmPage);

  constructor(base: Uint8Array) {
    this.#bytes = bufferOver(base);
  }

  equals(live: Buffer, from: number, to: number): boolean {
    const order =
      from < this.#bytes.length
        ? live.compare(this.#bytes, from, to, from, to)
        : live.compare(this.#zeros, 0, to - from, from, to);
    return order === 0;
  }

  copy(live: Buffer, from: number, to: number): void {
    if (from < this.#bytes.length) this.#bytes.copy(live, from, from, to);
    else live.fill(0, from, to);
  }
}

function bufferOver(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
}
