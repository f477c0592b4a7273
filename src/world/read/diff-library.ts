import { createRequire } from 'node:module';

let library: typeof import('diff') | undefined;

/** Twenty files, which most processes never need: they are read by the first that compares texts. */
export function diffLibrary(): typeof import('diff') {
  library ??= createRequire(import.meta.url)('diff') as typeof import('diff');
  return library;
}
