import { byteClass } from '../tokens.ts';
import { hasHigh, identify, part, place, term } from './scan-identifiers.ts';
import { classes, masks } from './scan-layout.ts';
import { encode, flush, lines } from './scan-log.ts';
import { scan } from './scan-text.ts';
import { wasmModule } from './wasm-module.ts';

/** The inner loops of building an index, over one memory. */

/** Functions of JavaScript that the loops call. All numbers are addresses in the memory. */
export interface KernelImports {
  /** Makes room for what an identifier may bring. */
  grow(): number;
  /** Takes in an identifier that is new and not of plain ASCII; `place` is where its record goes. */
  unusual(place: number, start: number, end: number, first: number, second: number): number;
  /** Counts the terms of a run too long to remember and returns how many. */
  longRun(start: number, end: number, weight: number): number;
  /** The address of the name that the definer ending at `at` introduces, or -1. */
  name(at: number, end: number): number;
  /** Weighs the name, if any, that a line between `line` and `end`, which ends with a brace, defines. */
  brace(from: number, line: number, end: number): number;
}

export interface Kernel {
  lines(at: number, end: number, out: number): number;
  scan(at: number, end: number, weight: number, style: number): number;
  flush(chunk: number): number;
  encode(at: number, end: number, chunk: number): number;
  term(length: number): number;
  place(first: number): number;
}

let compiled: WebAssembly.Module | undefined;

/** The compiled module. Threads that share it also share its machine code. */
export function kernelModule(): WebAssembly.Module {
  compiled ??= new WebAssembly.Module(
    wasmModule(
      [
        { name: 'grow', parameters: 0 },
        { name: 'unusual', parameters: 5 },
        { name: 'longRun', parameters: 3 },
        { name: 'name', parameters: 2 },
        { name: 'brace', parameters: 3 },
      ],
      [lines, scan, hasHigh, place, term, part, identify, flush, encode],
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
