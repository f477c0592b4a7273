import { type Engine, globalValues, mutableGlobals } from './engine.ts';
import type { RandomState } from './random-stream.ts';
import type { OpenFile } from './wasi.ts';

/** The grain at which a session's memory is compared with the snapshot's. */
export const grain = 4096;
const wasmPage = 65_536;

/** A session between two cells: what differs from the snapshot it started from. */
export interface MemoryImage {
  /** Size of the memory in bytes. */
  readonly memoryBytes: number;
  /** Numbers of the pages of 4 KiB that differ, ascending. */
  readonly pages: Uint32Array;
  /** Their content, one after another. */
  readonly content: Uint8Array;
  /** The module's own mutable globals, by the name of their export. */
  readonly globals: ReadonlyMap<string, number | bigint>;
  readonly files: readonly OpenFile[];
  readonly random: RandomState;
}

/** Costs about 0.1 ms for each MB of memory in use, and a copy of what differs. */
export function captureImage(engine: Engine, base: Uint8Array, random: RandomState): MemoryImage {
  const memoryBytes = engine.memoryBytes;
  const end = Math.min(memoryBytes, Math.ceil(engine.top / grain) * grain);
  const live = bufferOver(engine.memory.bytes(0, end));
  const before = bufferOver(base);
  const zeros = Buffer.alloc(grain);
  const pages: number[] = [];
  for (let at = 0; at < end; at += grain) {
    const same =
      at < before.length
        ? live.compare(before, at, at + grain, at, at + grain) === 0
        : live.compare(zeros, 0, grain, at, at + grain) === 0;
    if (!same) pages.push(at / grain);
  }
  const content = new Uint8Array(pages.length * grain);
  pages.forEach((page, i) => {
    content.set(live.subarray(page * grain, (page + 1) * grain), i * grain);
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
 * Brings an engine to where the image was taken, or to the snapshot, by writing what differs: that is quicker than
 * a new one, whose memory the system must provide anew. False where the engine has more memory than it had then,
 * since memory never shrinks: only a new one will do.
 */
export function resetMemory(engine: Engine, base: Uint8Array, image: MemoryImage | null): boolean {
  const size = image?.memoryBytes ?? base.length;
  const missing = size - engine.memoryBytes;
  if (missing < 0) return false;
  if (missing > 0) (engine.exports['memory'] as WebAssembly.Memory).grow(missing / wasmPage);

  const live = bufferOver(engine.memory.bytes(0, size));
  const content = bufferOver(image?.content ?? new Uint8Array(0));
  const before = bufferOver(base);
  const zeros = Buffer.alloc(grain);
  let next = 0;
  for (let at = 0; at < size; at += grain) {
    const [source, from] =
      image?.pages[next] === at / grain
        ? ([content, next++ * grain] as const)
        : at < before.length
          ? ([before, at] as const)
          : ([zeros, 0] as const);
    if (live.compare(source, from, from + grain, at, at + grain) !== 0)
      source.copy(live, at, from, from + grain);
  }
  for (const [name, global] of mutableGlobals(engine.exports)) {
    const value = image ? image.globals.get(name) : engine.initialGlobals.get(name);
    if (value !== undefined) (global as WebAssembly.Global<number | bigint>).value = value;
  }
  engine.wasi.reopen(image?.files ?? []);
  return true;
}

function bufferOver(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
}
