import { createRequire } from 'node:module';

let library: typeof import('yaml') | undefined;

/**
 * Loads the YAML library, which has seventy files. A process that meets no front matter, such as a host that has just
 * started, reads none of them.
 */
export function yamlLibrary(): typeof import('yaml') {
  library ??= createRequire(import.meta.url)('yaml') as typeof import('yaml');
  return library;
}
