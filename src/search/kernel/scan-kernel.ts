import { byteClass } from '../tokens/tokens.ts';
import { hasNonAscii, identify, part, place, term } from './scan-identifiers.ts';
import { classes, masks } from './scan-layout.ts';
import { encode, flush, lines } from './scan-log.ts';
import { scan } from './scan-text.ts';
import { buildModule } from './wasm-module.ts';

/** The inner loops that build an index: WebAssembly that works on a memory which JavaScript shares. */

/** JavaScript functions that the loops call. Positions are addresses in the memory. */
export interface KernelImports {
  /** Grows the tables so that one more identifier and its terms fit. */
  grow(): number;
  /** Adds a new identifier that is not ASCII. `place` is the address of its record. */
  unusual(place: number, start: number, end: number, first: number, second: number): number;
  /** Counts the terms of a run of identifier characters that is too long for the table. Returns their number. */
  longRun(start: number, end: number, weight: number): number;
  /** The address of the name after a defining keyword (`def`, `class`) that ends at `at`, or -1. */
  name(at: number, end: number): number;
  /**
   * For a line from `line` to `end` that ends with a brace: adds weight to the name it defines, if any. If the line is
   * only the brace, looks at the lines above, up to `from`. Returns the number of terms of the name.
   */
  brace(from: number, line: number, end: number): number;
}

export interface Kernel {
  /** Writes the offset after each newline to `out`, unless that is 0. Returns the number of newlines. */
  lines(at: number, end: number, out: number): number;
  /** Counts the terms of the text from `at` to `end`. Returns their number. */
  scan(at: number, end: number, weight: number, style: number): number;
  /** Appends the terms counted so far to the log, as those of `chunk`. */
  flush(chunk: number): number;
  /** Encodes the log from `at` to `end` as posting lists, from `chunk` on. Returns the chunk after the last. */
  encode(at: number, end: number, chunk: number): number;
  /** The number of the term whose `length` lower-case bytes are in the buffer `lowered`. Adds the term if it is new. */
  term(length: number): number;
  /** The free record for a new identifier with this first hash. */
  place(first: number): number;
}

let compiled: WebAssembly.Module | undefined;

/** The compiled module. Threads that share it also share its machine code. */
export function kernelModule(): WebAssembly.Module {
  compiled ??= new WebAssembly.Module(
    buildModule(
      [
        { name: 'grow', parameters: 0 },
        { name: 'unusual', parameters: 5 },
        { name: 'longRun', parameters: 3 },
        { name: 'name', parameters: 2 },
        { name: 'brace', parameters: 3 },
      ],
      [lines, scan, hasNonAscii, place, term, part, identify, flush, encode],
    ),
  );
  return compiled;
}

export function openKernel(
  memory: WebAssembly.Memory,
  imports: KernelImports,
  module: WebAssembly.Module = kernelModule(),
): Kernel {
  const bytes = new Uint8Array(memory.buffer);
  bytes.set(byteClass, classes);
  bytes.fill(255, masks, masks + 16);
  const { exports } = new WebAssembly.Instance(module, {
    of: { memory, ...imports } as unknown as Record<string, WebAssembly.ImportValue>,
  });
  return exports as unknown as Kernel;
}
