import { files } from './score-files.ts';
import { accumulate, accumulateGroup, gather, normalise, settle } from './score-postings.ts';
import { buildModule } from './wasm-module.ts';

/** The inner loops of a query, over one memory; the functions are described where they are defined. */

export interface ScoreKernel {
  normalise(lengths: number): number;
  accumulate(at: number, end: number, chunk: number): number;
  accumulateGroup(at: number, end: number, chunk: number): number;
  gather(at: number, end: number, chunk: number, count: number): number;
  settle(count: number): number;
  files(): number;
}

let compiled: WebAssembly.Module | undefined;

export function openScoreKernel(memory: WebAssembly.Memory): ScoreKernel {
  compiled ??= new WebAssembly.Module(
    buildModule([], [normalise, accumulate, accumulateGroup, gather, settle, files]),
  );
  const imports = { of: { memory } } as unknown as Record<string, Record<string, WebAssembly.ImportValue>>;
  return new WebAssembly.Instance(compiled, imports).exports as unknown as ScoreKernel;
}
