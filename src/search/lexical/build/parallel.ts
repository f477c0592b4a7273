import type { Worker } from 'node:worker_threads';
import { SondeError } from '../../../core/index.ts';
import { kernelModule } from '../../kernel/scan-kernel.ts';
import { createCancelledError, createPause, throwIfCancelled } from '../pausing.ts';
import { FileIndexer, type FileIndexing, type IndexedFiles } from './file-indexer.ts';
import type { FromWorker, ToWorker, WorkerTask } from './index-worker.ts';
import { startThread } from './start-thread.ts';

/** For fewer files, starting a thread takes longer than indexing them. */
const minParallelFiles = 500;
const batchFiles = 64;
/** Each worker has its own tables, so more workers need more memory and write more segments. */
const workerCount = 2;
/**
 * Size of the young generation of a worker's heap, in megabytes. The default is several times as much and hardly faster,
 * since the index data is outside the JavaScript heap.
 */
const youngGenerationMb = 4;

export interface ParallelOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress: (files: number) => void;
}

/**
 * Indexes the files that `paths` yields; null means that the walk has found none yet. Batches go to two threads as they
 * come. The thread of a batch depends only on the batch's number, so two clones of a commit give the same segments on
 * any machine.
 */
export async function indexFiles(
  paths: Iterable<string | null>,
  task: Omit<FileIndexing, 'capacity'>,
  options: ParallelOptions,
): Promise<IndexedFiles> {
  const iterator = paths[Symbol.iterator]();
  const first: string[] = [];
  const pause = createPause();
  for (;;) {
    const next = iterator.next();
    if (next.done) return indexInThisThread(first, task, options);
    if (next.value !== null) first.push(next.value);
    if (first.length >= minParallelFiles) break;
    await pause();
    throwIfCancelled(options.signal);
  }
  return indexInWorkers(first, iterator, task, options);
}

async function indexInThisThread(
  paths: readonly string[],
  task: Omit<FileIndexing, 'capacity'>,
  options: ParallelOptions,
): Promise<IndexedFiles> {
  const indexer = new FileIndexer({
    ...task,
    capacity: paths.length < 20 ? 1 << 12 : 1 << 15,
  });
  const pause = createPause();
  for (const path of paths) {
    indexer.add(path);
    options.onProgress(1);
    await pause();
    throwIfCancelled(options.signal);
  }
  return indexer.finish();
}

async function indexInWorkers(
  first: readonly string[],
  rest: Iterator<string | null>,
  task: Omit<FileIndexing, 'capacity'>,
  options: ParallelOptions,
): Promise<IndexedFiles> {
  const workers = Array.from({ length: workerCount }, () => {
    const indexing: FileIndexing = {
      ...task,
      capacity: 1 << 18,
      kernel: kernelModule(),
    };
    return startThread('index-worker', { indexing } satisfies WorkerTask, {
      resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb },
    });
  });
  try {
    const results = workers.map((worker) => awaitResult(worker, options));
    // Failures are handled where the results are awaited below; until then they must not count as unhandled.
    for (const result of results) result.catch(() => {});
    let batches = 0;
    const send = (paths: readonly string[]) => {
      workers[batches++ % workerCount]!.postMessage({ kind: 'batch', paths } satisfies ToWorker);
    };
    for (let k = 0; k < first.length; k += batchFiles) send(first.slice(k, k + batchFiles));
    let batch: string[] = [];
    const pause = createPause();
    for (let next = rest.next(); !next.done; next = rest.next()) {
      if (next.value !== null) batch.push(next.value);
      if (batch.length === batchFiles) {
        send(batch);
        batch = [];
      }
      await pause();
      throwIfCancelled(options.signal);
    }
    if (batch.length > 0) send(batch);
    for (const worker of workers) worker.postMessage({ kind: 'end' } satisfies ToWorker);
    return mergeResults(await Promise.all(results));
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

function awaitResult(worker: Worker, options: ParallelOptions): Promise<IndexedFiles> {
  return new Promise((resolve, reject) => {
    const cancel = () => reject(createCancelledError());
    options.signal?.addEventListener('abort', cancel, { once: true });
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'progress') options.onProgress(message.files);
      else resolve(message.indexed);
    });
    worker.on('error', reject);
    worker.on('exit', () => {
      options.signal?.removeEventListener('abort', cancel);
      reject(new SondeError('internal', { message: 'An indexing thread ended before its work.' }));
    });
  });
}

function mergeResults(results: readonly IndexedFiles[]): IndexedFiles {
  return {
    segments: results.flatMap(({ segments }) => segments),
    passed: results.flatMap(({ passed }) => passed),
    encoded: results.flatMap(({ encoded }) => encoded),
    gone: results.flatMap(({ gone }) => gone),
  };
}
