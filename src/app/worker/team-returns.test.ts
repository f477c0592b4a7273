/** What a run has drawn from its team's pool comes back, whoever ends its job and wherever it stood. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { manualClock } from '../../core/index.ts';
import { type Job, openDatabase, openStoreIn, type Queue, type Store } from '../../store/index.ts';
import { type MemoryJobs, memoryQueue } from '../../store/memory/memory-queue.ts';
import { drawForRun, noDraw, type PoolState, settleDraw, teamAccount } from '../../store/postgres/index.ts';
import { loadConfiguration } from '../config/index.ts';
import { returnTopic, runTopic } from './queued-run.ts';
import { openRunProcesses } from './run-processes.ts';
import { addRun, cancelJob } from './team-queue.ts';
import { openWorker } from './worker.ts';

vi.mock(import('./repositories.ts'), async (original) => ({
  ...(await original()),
  openRepository: async () => ({ commit: 'c', root: '/nowhere' }) as never,
}));

let clock: ReturnType<typeof manualClock>;
let jobs: MemoryJobs;
let queue: Queue;
let store: Store;
let home: string;
const closing: (() => Promise<void>)[] = [];

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  clock = manualClock(1_000_000);
  jobs = [];
  queue = memoryQueue({ clock, jobs });
  store = openStoreIn(openDatabase({ path: ':memory:', schemas: [] }));
  home = mkdtempSync(join(tmpdir(), 'sonde-returns-'));
  await store.accounts.open({ id: teamAccount('red'), parent: null, limits: { usd: 10 }, reserve: {} });
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  rmSync(home, { recursive: true, force: true });
  vi.useRealTimers();
});

const order = { question: 'Why?', repository: 'parcels', team: 'red' };
const balance = async () => {
  const { spent, reserved } = await store.accounts.balance(teamAccount('red'));
  return { spent: spent.usd, held: reserved.usd };
};

function begin(repositories = new Map<string, string>()): void {
  const environment = { HOME: home, XDG_CACHE_HOME: home };
  const configuration = loadConfiguration({ environment });
  const worker = openWorker({
    ...{ configuration, queue: memoryQueue({ clock, jobs }), store, slots: 2, repositories },
    processes: openRunProcesses({ max: 2 }),
    teams: { list: async () => [] },
    tell: () => {},
  });
  closing.push(() => worker.close(0));
}

/** A job with a draw of a dollar, of which its run spends a quarter, at a worker that has it no more. */
async function drawnJob(how: 'waits' | 'has a worker that died' | 'is worked on', at = queue): Promise<Job> {
  let isDead = false;
  const worker = how === 'has a worker that died' ? memoryQueue({ clock, jobs, isDead: () => isDead }) : at;
  const { key } = await addRun(queue, order);
  const claims = await worker.claim({ topic: runTopic, max: 9 });
  const claim = claims.find(({ job }) => job.key === key);
  for (const other of claims) if (other !== claim) await worker.settle(other, { kind: 'release' });
  const keep = (pool: PoolState) => worker.renew(claim!, { commit: 'c', progress: 0, deaths: 0, pool });
  await drawForRun(store, { team: 'red', run: key, wanted: 1, keep }, noDraw);
  await store.accounts.open({ id: key, parent: null, limits: {}, reserve: {} });
  await store.accounts.charge(key, { usd: 0.25 });
  if (how === 'waits') await worker.settle(claim!, { kind: 'release' });
  isDead = true;
  return (await queue.get(runTopic, key))!;
}

/** Lets time pass in the queue until it is so. */
async function until(check: () => Promise<void>): Promise<void> {
  await vi.waitFor(
    async () => {
      clock.advance(1_000);
      vi.advanceTimersByTime(1_000);
      await check();
    },
    { timeout: 12_000, interval: 10 },
  );
}

it.each(['waits', 'has a worker that died'] as const)('a job that is cancelled while it %s', async (how) => {
  const job = await drawnJob(how);
  expect(await balance()).toEqual({ spent: 0, held: 1 });
  await cancelJob(queue, String(job.id));
  begin();
  await until(async () => expect(await balance()).toEqual({ spent: 0.25, held: 0 }));
});

it('a job that is cancelled while a worker holds its run, only when that has ended', async () => {
  const { id, key } = await drawnJob('is worked on');
  await cancelJob(queue, String(id));
  const isHeld = vi.fn().mockResolvedValue(true);
  store = { ...store, runs: { ...store.runs, isHeld } };
  begin();
  await until(async () => expect(isHeld.mock.calls.length).toBeGreaterThan(1));
  expect(await balance()).toEqual({ spent: 0, held: 1 });
  await store.accounts.charge(key, { usd: 0.5 });
  isHeld.mockResolvedValue(false);
  await until(async () => expect(await balance()).toEqual({ spent: 0.75, held: 0 }));
});

it('a job that its own worker has settled is settled once', async () => {
  const job = await drawnJob('waits');
  const { pool } = job.kept as { readonly pool: PoolState };
  await cancelJob(queue, String(job.id));
  await settleDraw(store, { run: job.key, team: 'red' }, pool);
  await expect(settleDraw(store, { run: job.key, team: 'red' }, pool)).resolves.toMatchObject({
    drawn: null,
  });
  expect(await balance()).toEqual({ spent: 0.25, held: 0 });
});

it('a job whose cancelling never came stays as it is, and one that is cancelled again comes back', async () => {
  const job = await drawnJob('waits');
  const cancel = () => Promise.reject(new Error('the store is away'));
  await expect(cancelJob({ ...queue, cancel }, String(job.id))).rejects.toThrow('away');
  await queue.setRule({ topic: runTopic, team: null, shape: null, max: null, paused: true });
  begin();
  const tries = async () => (await queue.list({ topic: returnTopic, max: 1 })).jobs[0]?.attempts;
  await until(async () => expect(await tries()).toBe(2));
  expect(await balance()).toEqual({ spent: 0, held: 1 });
  await cancelJob(queue, String(job.id));
  await until(async () => expect(await balance()).toEqual({ spent: 0.25, held: 0 }));
});

it('a job that is given up, since no worker understands it or too many died', async () => {
  const one = await drawnJob('waits');
  const two = await drawnJob('waits');
  jobs.find(({ job }) => job.id === one.id)!.job = { ...one, payload: { kind: 'newer' } };
  jobs.find(({ job }) => job.id === two.id)!.job = { ...two, deaths: 10 };
  begin(new Map([['parcels', home]]));
  await until(async () =>
    expect(await queue.counts(runTopic)).toMatchObject({ failed: 2, waiting: 0, running: 0 }),
  );
  expect(await balance()).toEqual({ spent: 0.5, held: 0 });
});

it('a job is not given up before its team has its money back', async () => {
  const { id } = await drawnJob('waits');
  const held = jobs.find(({ job }) => job.id === id)!;
  held.job = { ...held.job, deaths: 10 };
  const { settle } = store.accounts;
  let times = 0;
  const accounts = {
    ...store.accounts,
    settle: (...asked: Parameters<typeof settle>) =>
      ++times < 4 ? Promise.reject(new Error('no answer')) : settle(...asked),
  };
  store = { ...store, accounts };
  begin(new Map([['parcels', home]]));
  await until(async () => expect((await queue.find(id))?.state).toBe('failed'));
  expect(await balance()).toEqual({ spent: 0.25, held: 0 });
});

it('waiting for the budget is no attempt, and says why it waits', async () => {
  const other = { team: 'red', run: 'other', wanted: 10, keep: async () => {} };
  await drawForRun(store, other, noDraw);
  const { id } = await addRun(queue, order);
  begin(new Map([['parcels', home]]));
  await until(async () => expect((await queue.find(id))?.kept).toMatchObject({ waits: 2 }));
  const message = expect.stringContaining('budget of team red is reserved');
  expect(await queue.find(id)).toMatchObject({ attempts: 0, error: { message } });
});
