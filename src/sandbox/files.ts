/** The files of the sandbox that are not TypeScript, and those whose text decides what a snapshot looks like. */

/** Both `src/sandbox` and `dist/sandbox` lie two levels below the package's own directory. */
const assets = new URL('../../sandbox/', import.meta.url);
const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

export const builtFiles = {
  interpreter: new URL('cpython/python.wasm.br', assets),
  library: new URL('cpython/stdlib.zip.br', assets),
  /** SHA-256 of the two, before compression. */
  sums: new URL('cpython/SHA256SUMS', assets),
} as const;

export const driverModule = 'sonde_driver';

export const guestFiles = [driverModule, 'sonde_host', 'sonde_values', 'sonde_variables'].map(
  (name) => new URL(`./guest/${name}.py`, import.meta.url),
);

export const passFiles = ['wasm/meter', 'wasm/call-graph', 'wasm/bake', 'image-worker'].map(
  (name) => new URL(`./${name}${extension}`, import.meta.url),
);
