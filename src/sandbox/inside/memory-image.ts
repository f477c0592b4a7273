import type { Engine } from './engine.ts';
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
  readonly globals: readonly (readonly [name: string, value: number | bigint])[];
  readonly files: readonly OpenFile[];
  readonly random: RandomState;
}

function mutableGlobals(engine: Engine): [string, WebAssembly.Global][] {
  return Object.entries(engine.exports).flatMap(([name, value]) =>
    value instanceof WebAssembly.Global && name.startsWith('__global_') ? [[name, value]] : [],
  );
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
    globals: mutableGlobals(engine).map(([name, global]) => [name, global.value]),
    files: engine.wasi.openFiles(),
    random,
  };
}

/** Brings a fresh engine to where the image was taken. */
export function applyImage(engine: Engine, image: MemoryImage): void {
  const missing = image.memoryBytes - engine.memoryBytes;
  if (missing > 0) (engine.exports['memory'] as WebAssembly.Memory).grow(missing / wasmPage);
  const memory = engine.memory.bytes(0, image.memoryBytes);
  image.pages.forEach((page, i) => {
    memory.set(image.content.subarray(i * grain, (i + 1) * grain), page * grain);
  });
  const saved = new Map(image.globals);
  for (const [name, global] of mutableGlobals(engine)) {
    const value = saved.get(name);
    if (value !== undefined) (global as WebAssembly.Global<number | bigint>).value = value;
  }
  engine.wasi.reopen(image.files);
}

function bufferOver(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
}
