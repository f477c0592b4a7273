/**
 * A second writer, in a thread: it edits a page and keeps its transaction open for a while, so that another writer has
 * read the page before that edit and writes after it.
 */
import { workerData } from 'node:worker_threads';
import type { Caller } from '../core/index.ts';
import { openDatabase } from '../store/index.ts';
import { openWorld } from './open-world.ts';
import { worldWrite } from './write/make-write.ts';

const { path, page, signal } = workerData as {
  readonly path: string;
  readonly page: string;
  readonly signal: Int32Array;
};
const caller: Caller = { kind: 'user', name: 'bo', device: 'desk', thread: null, channel: null };
const db = openDatabase({ path, schemas: [], busyMs: 5000 });
const world = openWorld(db);
db.atomic(() => {
  const operation = { op: 'update_page', page, text: 'By the second.\n' } as const;
  world.submit(worldWrite({ operation, caller, source: 'test', idempotencyKey: null }));
  Atomics.store(signal, 0, 1);
  Atomics.notify(signal, 0);
  Atomics.wait(signal, 0, 1, 100);
});
db.close();
