/** What a worker makes of what its work does, over a queue in memory. */
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { manualClock, SondeError } from '../../core/index.ts';
import { type MemoryJobs, memoryQueue } from '../memory/memory-queue.ts';
import type { Job, Queue, Settlement } from './queue.ts';
import { type WorkOffOptions, workOff } from './work-off.ts';

const topic = 'work';
const locked = new SondeError('store_locked', { message: 'Another process writes', remedy: 'Wait.' });

let jobs: MemoryJobs;
let queue: Queue;
const closing: (() => Promise<void>)[] = [];

beforeEach(async () => {
  jobs = [];
  queue = memoryQueue({ clock: manualClock(1_000_000), jobs });
  await queue.enqueue(['a', 'b', 'c'].map((key) => ({ topic, key, payload: null })));
});
afterEach(async () => {
  vi.useRealTimers();
  for (const close of closing.splice(0)) await close();
});

function worker(more: Partial<WorkOffOptions> = {}) {
  const made = workOff({
    queue,
    topic,
    slots: 9,
    work: async () => ({ kind: 'done' }),
    tell: () => {},
    ...more,
  });
  closing.push(made.close);
  return made;
}

const until = async (met: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await met())) await turn();
};

it('works on so many at once, and takes nothing while it is not ready', async () => {
  const ends: ((end: Settlement) => void)[] = [];
  let ready = false;
  const work = () => new Promise<Settlement>((end) => ends.push(end));
  const { take, idle } = worker({ slots: 2, ready: () => ready, work, pollMs: 60_000 });
  expect(await take()).toEqual([]);
  ready = true;
  expect(await take()).toHaveLength(2);
  expect(await take()).toEqual([]);
  ends[0]!({ kind: 'done' });
  // Room is used at once.
  await until(() => ends.length === 3);
  for (const end of ends) end({ kind: 'done' });
  await idle();
  expect(await queue.counts(topic)).toMatchObject({ done: 3, running: 0 });
});

it('gives a slot away as soon as the work has ended, and closes once its end is written down', async () => {
  const written = Promise.withResolvers<void>();
  const slow: Queue = {
    ...queue,
    async settle(...asked) {
      await written.promise;
      return queue.settle(...asked);
    },
  };
  const begun: string[] = [];
  const work = async ({ job }: { readonly job: Job }): Promise<Settlement> => {
    begun.push(job.key);
    return { kind: 'done' };
  };
  const { take, close } = worker({ queue: slow, slots: 1, work, pollMs: 60_000 });
  expect(await take()).toHaveLength(1);
  await until(() => begun.length === 3);
  expect(await queue.counts(topic)).toMatchObject({ done: 0, running: 3 });
  const closed = close(60_000);
  written.resolve();
  await closed;
  expect(await queue.counts(topic)).toMatchObject({ done: 3, running: 0 });
});

it('all who ask while a claim is under way get the one behind it', async () => {
  const answers: (() => void)[] = [];
  const slow: Queue = {
    ...queue,
    async claim(asked) {
      await new Promise<void>((answer) => answers.push(answer));
      return queue.claim(asked);
    },
  };
  const { take } = worker({ queue: slow, slots: 1 });
  const first = take();
  await until(() => answers.length === 1);
  const others = [take(), take(), take()];
  answers[0]!();
  expect(await first).toHaveLength(1);
  await Promise.all(await first);
  await until(() => answers.length === 2);
  answers[1]!();
  expect((await Promise.all(others)).map(({ length }) => length)).toEqual([1, 1, 1]);
  expect([answers.length, await queue.counts(topic)]).toMatchObject([2, { waiting: 1 }]);
});

it('what is thrown is the failure of its job alone', async () => {
  const work = async ({ job }: { readonly job: Job }): Promise<Settlement> => {
    if (job.key === 'a') throw new SondeError('tool_failed', { message: 'no power', remedy: 'Plug in.' });
    if (job.key === 'b') throw new TypeError('x'.repeat(9_999));
    return { kind: 'done' };
  };
  const told: string[] = [];
  const ended = (): never => {
    throw new Error('nobody listens');
  };
  const { take } = worker({ work, onEnded: ended, tell: (line) => told.push(line) });
  expect(await Promise.all(await take())).toEqual(['failed', 'failed', 'done']);
  expect(told).toEqual(['a', 'b', 'c'].map((key) => `${key}: nobody listens`));
  const error = { code: 'tool_failed', message: 'no power', remedy: 'Plug in.' };
  expect(await queue.get(topic, 'a')).toMatchObject({ state: 'failed', error });
  const bug = await queue.get(topic, 'b');
  expect([bug?.error?.code, bug?.error?.message.length]).toEqual(['internal', 500]);
});

it('a job that is lost is told to its work, and what that comes to counts nothing', async () => {
  const ended: (Job | null)[] = [];
  const { take } = worker({
    renewMs: 1,
    onEnded: (job) => ended.push(job),
    work: ({ job }, signal) =>
      job.key === 'a'
        ? new Promise((resolve) => signal.addEventListener('abort', () => resolve({ kind: 'done' })))
        : Promise.resolve({ kind: 'done' }),
  });
  const ends = await take();
  await queue.cancel(1);
  expect(await Promise.all(ends)).toEqual(['lost', 'done', 'done']);
  expect(await queue.get(topic, 'a')).toMatchObject({ state: 'cancelled' });
  expect(ended.filter((job) => job === null)).toHaveLength(1);
});

it('renews what it is at, also after the store could not be written', async () => {
  let renewals = 0;
  const renewing: Queue = {
    ...queue,
    async renew(claim) {
      renewals += 1;
      if (renewals < 3) throw locked;
      return queue.renew(claim);
    },
  };
  const end = Promise.withResolvers<Settlement>();
  let aborted = false;
  const { take } = worker({
    queue: renewing,
    slots: 1,
    renewMs: 1,
    work(_, signal) {
      signal.addEventListener('abort', () => {
        aborted = true;
      });
      return end.promise;
    },
  });
  const ends = await take();
  await until(() => renewals > 3);
  expect(aborted).toBe(false);
  end.resolve({ kind: 'done' });
  expect(await Promise.all(ends)).toEqual(['done']);
});

it('writes an end down again until the store takes it', async () => {
  vi.useFakeTimers();
  let times = 0;
  const settling: Queue = {
    ...queue,
    async settle(claim, settlement) {
      times += 1;
      if (times < 3) throw locked;
      return queue.settle(claim, settlement);
    },
  };
  const { take } = worker({ queue: settling, slots: 1 });
  const ends = await take();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await Promise.all(ends)).toEqual(['done']);
  expect(times).toBe(3);
});

it('a queue that cannot be read is told, and asked again', async () => {
  const told: string[] = [];
  let times = 0;
  const claiming: Queue = {
    ...queue,
    async claim(request) {
      times += 1;
      if (times === 1) throw locked;
      return queue.claim(request);
    },
  };
  const { take } = worker({ queue: claiming, tell: (line) => told.push(line) });
  expect(await take()).toEqual([]);
  expect(told).toEqual(['work: no job can be claimed now: Another process writes']);
  expect(await take()).toHaveLength(3);
});

it('takes nothing more once it is closed, and waits for what it was at', async () => {
  const one = worker({
    slots: 1,
    work: (_, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve({ kind: 'release' }))),
  });
  await one.take();
  await one.close();
  expect(await queue.counts(topic)).toMatchObject({ waiting: 3, running: 0 });
  expect(await one.take()).toEqual([]);
});

it('what it is at may end by itself while it drains, and takes nothing more', async () => {
  const ends: ((end: Settlement) => void)[] = [];
  const aborted: string[] = [];
  const one = worker({
    slots: 1,
    work: ({ job }, signal) =>
      new Promise((resolve) => {
        ends.push(resolve);
        signal.addEventListener('abort', () => aborted.push(job.key));
      }),
  });
  await one.take();
  await until(() => ends.length === 1);
  const closed = one.close(60_000);
  expect(await one.take()).toEqual([]);
  expect(aborted).toEqual([]);
  ends[0]!({ kind: 'done' });
  await closed;
  expect(await queue.counts(topic)).toMatchObject({ done: 1, waiting: 2, running: 0 });
});
