// The library's entry: the sources in a clone, the build in a package. Named once more here because the names
// of a module are fixed before it runs; a test compares them with src/index.ts.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('../src/index.ts', import.meta.url));
const door = await import(existsSync(source) ? '../src/index.ts' : '../dist/index.js');

export const { ask, isSondeError, openPool, openStore, openTreeIndex, SondeError, search, verify } = door;
