import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** The extension of this module and of the threads: `ts` in development, `js` in a build. */
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

/**
 * Each thread must enable the compile cache itself. Otherwise a thread in development first loads a TypeScript compiler
 * of 20 MB.
 */
const loader = `
const { cache, url } = require('node:worker_threads').workerData;
if (cache !== null) require('node:module').enableCompileCache(cache);
import(url);
`;

/** Starts a module of this folder in a thread. The fields of `data` are in its `workerData`. */
export function startThread(name: string, data: object, options: WorkerOptions = {}): Worker {
  const cacheFolder = getCompileCacheDir();
  const url = new URL(`./${name}.${extension}`, import.meta.url).href;
  // Node creates a subfolder for its own version in the given cache folder.
  const cache = cacheFolder === undefined ? null : dirname(cacheFolder);
  // The thread gets no flags of the process: `--input-type`, for example, applies to the main file.
  return new Worker(loader, { ...options, eval: true, workerData: { ...data, cache, url }, execArgv: [] });
}
