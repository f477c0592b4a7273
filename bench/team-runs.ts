/**
 * Jobs a second of a team: two workers with eight slots each. A job is claimed and ended; as a run it is begun under its
 * fence besides, makes one step of 2 KB and ends, so that its result can be read. `bench/team.ts` calls it; forked, this
 * file is a worker.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPool, openPostgresQueue, openPostgresStore, workOff } from '../src/bench.ts';

const slots = 8;
const workers = 2;
const text = 'x'.repeat(2_000);

type Store = ReturnType<typeof openPostgresStore>;

async function live(store: Store, id: string): Promise<void> {
  const { lease } = await store.runs.begin({
    id,
    shape: 'research',
    question: 'How fast?',
    root: '/',
    params: {},
  });
  const pool = openPool(store.ledger(lease), {
    account: id,
    run: id,
    fence: lease.fence,
    limits: { tokens: 1e9 },
  });
  const reserved = pool.reserve('step', { tokens: 100 });
  if (reserved.kind === 'exhausted') throw new Error('the pool of the bench is too small');
  await store.commit(lease);
  store.atomic(() => {
    store.journal(lease).record('step', text);
    reserved.settle({ tokens: 90 });
    store.log(lease).append('step', { kind: 'step_started', step: 0, left: { tokens: 1 } });
  });
  await store.commit(lease);
  store.runs.finish(id, lease);
  pool.close();
  await lease.release();
}

/** As `sonde worker` does it. */
async function work(url: string, topic: string, asRuns: boolean): Promise<void> {
  const store = openPostgresStore({ url, maxConnections: slots });
  const queue = openPostgresQueue({ url });
  const worker = workOff({
    queue,
    topic,
    slots,
    careful: true,
    pollMs: 20,
    renewMs: 3_000,
    async work({ job }) {
      if (asRuns) await live(store, job.key);
      return { kind: 'done' };
    },
    onEnded(job) {
      if (job?.state !== 'done') process.exit(1);
    },
    tell: console.error,
  });
  await worker.take();
}

/** How many of so many jobs were ended in a second; the start of the workers is not counted. */
export async function jobsPerSecond(url: string, jobs: number, asRuns: boolean): Promise<number> {
  const queue = openPostgresQueue({ url });
  const store = openPostgresStore({ url });
  const round = Math.random().toString(36).slice(2);
  // Of its own, as the other engine has a queue of its own: what earlier rounds did is not counted again at each look.
  const topic = `bench ${round}`;
  const children = Array.from({ length: workers }, () =>
    fork(import.meta.filename, ['--worker', url, topic, String(asRuns)], { stdio: 'inherit' }),
  );
  async function workOff(count: number, name: string): Promise<void> {
    const keys = Array.from({ length: count }, (_, n) => `${round}-${name}-${n}`);
    await queue.enqueue(keys.map((key) => ({ topic, key, payload: null })));
    for (;;) {
      const { waiting, running } = await queue.counts(topic);
      if (waiting + running === 0) return;
      await sleep(100);
    }
  }
  await workOff(workers * slots, 'first');
  const begun = performance.now();
  await workOff(jobs, 'job');
  const seconds = (performance.now() - begun) / 1000;
  if (asRuns) {
    const last = `${round}-job-${jobs - 1}`;
    const { status } = await store.runs.get(last);
    if (status !== 'finished' || (await store.events(last)).length === 0)
      throw new Error('the result of a run cannot be read');
  }
  for (const child of children) {
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }
  await queue.close();
  await store.close();
  return Math.round(jobs / seconds);
}

const [flag, url, topic, asRuns] = process.argv.slice(2);
if (flag === '--worker' && process.send !== undefined) await work(url!, topic!, asRuns === 'true');
