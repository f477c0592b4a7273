import { createRequire } from 'node:module';

let library: typeof import('diff') | undefined;

/** Loads the library that compares texts. It has twenty files, which most processes never need. */
export function diffLibrary(): typeof import('diff') {
  library ??= createRequire(import.meta.url)('diff') as typeof import('diff');
  return library;
}
