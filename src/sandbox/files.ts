/** The files of the sandbox that are not TypeScript, and those whose text decides what a snapshot looks like. */

/** The package's folder is two levels up, from `src/sandbox` as from `dist/sandbox`. */
const assets = new URL('../../sandbox/', import.meta.url);
const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

export const builtFiles = {
  interpreter: new URL('cpython/python.wasm.br', assets),
  library: new URL('cpython/stdlib.zip.br', assets),
  /** SHA-256 of the two, before compression. */
  sums: new URL('cpython/SHA256SUMS', assets),
} as const;

export const driverModule = 'sonde_driver';

export const guestFiles = [driverModule, 'sonde_host', 'sonde_repair', 'sonde_values', 'sonde_variables'].map(
  (name) => new URL(`./guest/${name}.py`, import.meta.url),
);

const sourceUrl = (name: string) => new URL(`./${name}${extension}`, import.meta.url);

/** The source files that transform the interpreter into a snapshot. */
export const passFiles = [
  'wasm/meter',
  'wasm/call-graph',
  'wasm/bake',
  'wasm/compilation-hint',
  'engine-code',
  'image-worker',
].map(sourceUrl);

/** All source files of the worker programs and of the process around them, by name. */
export const engineFiles: ReadonlyMap<string, URL> = new Map(
  [
    ...['wasm/bytes', 'wasm/instructions', 'wasm/module'],
    ...[
      'captured-output',
      'checkpoint-file',
      'child-protocol',
      'clock-tape',
      'engine',
      'frames',
      'fuel-gauge',
    ].map(insidePath),
    ...['guest-memory', 'guest-session', 'memory-image', 'pipe-channel', 'port-channel', 'protocol'].map(
      insidePath,
    ),
    ...['random-stream', 'running-cell', 'start-data', 'virtual-files', 'wasi', 'wasi-layout'].map(
      insidePath,
    ),
    ...['warm-up', 'worker', 'worker-process'].map(insidePath),
  ].map((name) => [name, sourceUrl(name)]),
);

function insidePath(name: string): string {
  return `inside/${name}`;
}
