import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Threads have the same file extension as this module: the source in development, JavaScript once it is built. */
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

/**
 * Each thread has to turn on the compile cache itself. Otherwise a thread that runs the source loads a TypeScript
 * compiler first, 20 MB.
 */
const loader = `
const { cache, url } = require('node:worker_threads').workerData;
if (cache !== null) require('node:module').enableCompileCache(cache);
import(url);
`;

/** Starts a module of this folder in a thread of its own. It finds `data` among its `workerData`. */
export function startThread(name: string, data: object, options: WorkerOptions = {}): Worker {
  const cacheFolder = getCompileCacheDir();
  const url = new URL(`./${name}.${extension}`, import.meta.url).href;
  // Node creates a subfolder for its own version in the given cache folder.
  const cache = cacheFolder === undefined ? null : dirname(cacheFolder);
  // No flags of the process: `--input-type` and the like speak of its own main file.
  return new Worker(loader, { ...options, eval: true, workerData: { ...data, cache, url }, execArgv: [] });
}
