import { createRequire } from 'node:module';

let library: typeof import('yaml') | undefined;

/** Loads the YAML library, which has 70 files, on first use. */
export function loadYaml(): typeof import('yaml') {
  library ??= createRequire(import.meta.url)('yaml') as typeof import('yaml');
  return library;
}
