import { createRequire } from 'node:module';

let library: typeof import('diff') | undefined;

/** Loads the diff library, which has 20 files, on first use. */
export function loadDiff(): typeof import('diff') {
  library ??= createRequire(import.meta.url)('diff') as typeof import('diff');
  return library;
}
