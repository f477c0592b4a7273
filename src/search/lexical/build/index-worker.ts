import { parentPort, workerData } from 'node:worker_threads';
import { FileIndexer, type FileIndexing, type IndexedFiles } from './file-indexer.ts';

/** A thread that indexes batches of files. Started by `parallel.ts`. */

export interface WorkerTask {
  readonly indexing: FileIndexing;
}

export type ToWorker =
  | { readonly kind: 'batch'; readonly paths: readonly string[] }
  | { readonly kind: 'end' };

export type FromWorker =
  | { readonly kind: 'progress'; readonly files: number }
  | { readonly kind: 'done'; readonly indexed: IndexedFiles };

function send(message: FromWorker): void {
  parentPort?.postMessage(message);
}

/** Minimum time between two reports of progress, since each wakes the main thread. */
const reportIntervalMs = 50;

if (parentPort !== null) {
  let lastReport = performance.now();
  let files = 0;
  const { indexing } = workerData as WorkerTask;
  const indexer = new FileIndexer(indexing);
  parentPort.on('message', (message: ToWorker) => {
    if (message.kind === 'end') {
      send({ kind: 'progress', files });
      send({ kind: 'done', indexed: indexer.finish() });
      parentPort?.close();
    } else {
      for (const path of message.paths) indexer.add(path);
      files += message.paths.length;
      if (performance.now() - lastReport < reportIntervalMs) return;
      send({ kind: 'progress', files });
      files = 0;
      lastReport = performance.now();
    }
  });
}
