import { createRequire } from 'node:module';

let library: typeof import('yaml') | undefined;

/**
 * Loads the YAML library, which has seventy files, when front matter is first read.
 */
export function yamlLibrary(): typeof import('yaml') {
  library ??= createRequire(import.meta.url)('yaml') as typeof import('yaml');
  return library;
}
