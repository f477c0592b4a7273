/** A thread that says when each event of a run's log was there for other processes to read: its commit. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { openStore } from '../src/bench.ts';

const { path, run } = workerData as { readonly path: string; readonly run: string };
/** How late a commit may be seen. Milliseconds. */
const lookMs = 2;

const store = openStore(path);
let isOver = false;
parentPort!.once('message', () => {
  isOver = true;
});
const times: [seq: number, at: number][] = [];
for (let last = 0; !isOver; await sleep(lookMs)) {
  const fresh = await store.events(run, last);
  const at = Date.now();
  for (const { seq } of fresh) times.push([seq, at]);
  last = fresh.at(-1)?.seq ?? last;
}
await store.close();
parentPort!.postMessage(times);
