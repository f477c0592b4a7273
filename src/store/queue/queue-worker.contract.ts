/**
 * A worker of a queue to be killed: it enqueues three jobs, and brings each to its own end. It says on standard output,
 * a JSON line each, what the queue has acknowledged. It dies at the n-th of the moments at which anything is written:
 * each write within a transaction and each call of the queue has one before it and one behind it. Started as `node
 * queue-worker.contract.ts PATH AT`; with `stop` behind it, it claims a job with a short lease, waits to be told, and
 * says what becomes of its claim.
 */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isSondeError } from '../../core/index.ts';
import { type Database, openDatabase } from '../database.ts';
import { momentsUntil } from '../moments.contract.ts';
import { openQueueIn } from '../sqlite/sqlite-queue.ts';
import type { Claim, Queue, Settlement } from './queue.ts';

export const topic = 'work';
/** One after the other. */
export const jobs = ['done', 'failed', 'tried twice'] as const;

const error = { code: 'tool_failed', message: 'no power' };

function endOf({ job }: Claim): Settlement {
  if (job.key === 'failed') return { kind: 'failed', error };
  if (job.key === 'tried twice' && job.attempts === 0) return { kind: 'retry', error, afterMs: 0 };
  return { kind: 'done', result: { deaths: job.deaths } };
}

async function runUntilKilled(path: string, dieAt: number): Promise<void> {
  const { around, call, seen } = momentsUntil(dieAt);
  const say = (what: object): void => void writeSync(1, `${JSON.stringify(what)}\n`);
  const db = openDatabase({ path, schemas: [], busyMs: 10_000 });
  const instrumentedDb: Database = { ...db, run: around(db.run), insert: around(db.insert) };
  const queue: Queue = openQueueIn(instrumentedDb);
  const kept = await call(() =>
    queue.enqueue(jobs.map((key) => ({ topic, key, group: 'g', inTurn: true, payload: key }))),
  );
  for (const one of kept) if (one.kind !== 'full') say({ kept: one.job.key });
  for (;;) {
    const [claim] = await call(() => queue.claim({ topic, max: 1 }));
    const { waiting } = await queue.counts(topic);
    if (claim === undefined && waiting === 0) break;
    if (claim === undefined) {
      await sleep(1);
      continue;
    }
    const { key, deaths } = claim.job;
    say({ claimed: key, deaths, left: claim.job.kept });
    await call(() => queue.renew(claim, { by: process.pid }));
    say({ left: key, by: process.pid });
    const { state } = await call(() => queue.settle(claim, endOf(claim)));
    if (state !== 'waiting') say({ ended: key, state });
  }
  await queue.close();
  db.close();
  say({ moments: seen() });
}

async function runUntilExpired(path: string): Promise<void> {
  const db = openDatabase({ path, schemas: [], busyMs: 10_000 });
  const queue = openQueueIn(db, { leaseMs: 200 });
  const [claim] = await queue.claim({ topic, max: 1 });
  writeSync(1, 'ready\n');
  await createInterface({ input: process.stdin })[Symbol.asyncIterator]().next();
  const code = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'done',
      (error: unknown) => (isSondeError(error) ? error.code : String(error)),
    );
  const renew = await code(queue.renew(claim!));
  const settle = await code(queue.settle(claim!, { kind: 'done' }));
  writeSync(1, JSON.stringify({ renew, settle }));
  db.close();
}

const [path, at, how] = process.argv.slice(2);
if (path !== undefined)
  await (how === 'stop' ? runUntilExpired(path) : runUntilKilled(path, Number(at ?? 0)));
