import { expect, it } from 'vitest';
import { manualClock } from '../../core/index.ts';
import type { Job, QueueRule } from '../../store/index.ts';
import { memoryQueue } from '../../store/memory/memory-queue.ts';
import { groupTopic } from '../alerts/groups.ts';
import { listQueuedAlerts } from './queued-alerts.ts';
import { runTopic } from './queued-run.ts';
import {
  addRun,
  cancelJob,
  changeRule,
  explainWaiting,
  findJob,
  listQueue,
  retryJobs,
} from './team-queue.ts';

const job = { topic: runTopic, team: 'a', shape: 'ask', needs: 'parcels', error: null, due: 0 } as const;
const worker = { id: 'w', topics: [runTopic], slots: 2, offers: ['parcels'], seen: 0 };
const rule = (more: Partial<QueueRule>): QueueRule => ({
  ...{ topic: runTopic, team: null, shape: null, max: null, paused: false },
  ...more,
});
const busy = { ...job, deaths: 0 } as never;

it.each([
  ['no worker is running', {}],
  ['no worker is running', { workers: [{ ...worker, slots: 0 }] }],
  ['no worker is running', { workers: [{ ...worker, topics: ['else'] }] }],
  ['no worker has parcels', { workers: [{ ...worker, offers: ['letters'] }] }],
  ['waits for a slot', { workers: [{ ...worker, offers: null }] }],
  ['paused', { rules: [rule({ team: 'a', paused: true })] }],
  ['each team is at its limit of 1', { workers: [worker], rules: [rule({ max: 1 })], running: [busy] }],
  [
    'team a, ask is at its limit of 0',
    { workers: [worker], rules: [rule({ team: 'a', shape: 'ask', max: 0 })] },
  ],
  ['waits for a slot', { workers: [worker], rules: [rule({ team: 'b', max: 1 })], running: [busy] }],
])('what waits says why: %s', (why, standing) => {
  expect(explainWaiting(job, { running: [], rules: [], workers: [], ...standing }, 1)).toBe(why);
});

it('says why it is tried again later', () => {
  const later = { ...job, due: 5, error: { code: 'tool_failed', message: 'no route' } };
  const standing = { running: [], rules: [], workers: [worker] };
  expect(explainWaiting(later, standing, 1)).toBe('will be tried again later: no route');
});

it('what is queued is found by its number and by its run, cancelled, and tried again', async () => {
  const queue = memoryQueue({ clock: manualClock(1_000) });
  const order = { question: 'Why?', repository: 'parcels' };
  const one = await addRun(queue, { ...order, team: 'a', priority: 2, settings: { max_tokens: '9' } });
  const two = await addRun(queue, { ...order, kind: 'investigate', commit: 'main' });
  expect(one).toMatchObject({ team: 'a', shape: 'ask', needs: 'parcels', priority: 2 });
  expect(one.payload).toMatchObject({ kind: 'ask', commit: null, settings: { max_tokens: '9' } });
  expect((await findJob(queue, one.key)).id).toBe(one.id);
  expect((await findJob(queue, String(two.id))).key).toBe(two.key);
  const [other] = await queue.enqueue([{ topic: 'else', key: 'e', payload: null }]);
  const { id } = (other as { readonly job: Job }).job;
  await expect(findJob(queue, String(id))).rejects.toMatchObject({ code: 'not_found' });
  await cancelJob(queue, String(one.id));
  await expect(cancelJob(queue, one.key)).rejects.toMatchObject({ code: 'run_state' });
  await expect(findJob(queue, 'none')).rejects.toMatchObject({ code: 'not_found' });
  const [claim] = await queue.claim({ topic: runTopic, max: 9 });
  await queue.settle(claim!, { kind: 'failed', error: { code: 'internal', message: 'no power' } });
  const dead = await listQueue(queue, { dead: true });
  expect(dead.jobs).toMatchObject([{ id: two.id, state: 'dead', why: 'no power', shape: 'investigate' }]);
  expect((await retryJobs(queue, undefined)).map(({ id }) => id)).toEqual([two.id]);
  expect((await listQueue(queue)).jobs).toMatchObject([
    { id: two.id, state: 'waiting', why: 'no worker is running' },
  ]);
});

it('groups of alerts that failed wait again, by their number or with all', async () => {
  const queue = memoryQueue({ clock: manualClock(1_000) });
  const payload = { title: 'Shop is slow', sent: 'now' };
  const fail = async () => {
    const [claim] = await queue.claim({ topic: groupTopic, max: 1 });
    await queue.settle(claim!, { kind: 'failed', error: { code: 'internal', message: 'no power' } });
  };
  await queue.enqueue([{ topic: groupTopic, key: 'shop', payload }]);
  const waiting = { title: 'Shop is slow', state: 'waiting', run: null };
  expect(await listQueuedAlerts(queue)).toMatchObject([
    { ...waiting, why: 'no worker investigates alerts: start one with sonde worker --signals' },
  ]);
  await queue.announce({ id: 'w', topics: [groupTopic], slots: 1, offers: null, clock: 1 }, 9_000);
  expect(await listQueuedAlerts(queue)).toMatchObject([{ ...waiting, why: 'waits for a worker' }]);
  await fail();
  const [dead] = await listQueuedAlerts(queue, { dead: true });
  expect(dead).toMatchObject({ state: 'dead', why: 'no power' });
  expect(await listQueuedAlerts(queue)).toEqual([]);
  expect(await retryJobs(queue, String(dead!.id))).toMatchObject([{ state: 'waiting' }]);
  await expect(retryJobs(queue, String(dead!.id))).rejects.toMatchObject({ code: 'run_state' });
  await fail();
  expect(await retryJobs(queue, undefined)).toMatchObject([{ id: dead!.id, state: 'waiting' }]);
});

it('a rule keeps what was not changed of it', async () => {
  const queue = memoryQueue({ clock: manualClock(1_000) });
  await changeRule(queue, { team: 'a' }, { max: 3 });
  await changeRule(queue, { team: 'a' }, { paused: true });
  expect(await queue.rules(runTopic)).toEqual([rule({ team: 'a', max: 3, paused: true })]);
  await changeRule(queue, { team: 'a' }, { paused: false });
  expect(await queue.rules(runTopic)).toEqual([rule({ team: 'a', max: 3 })]);
});

it.each([
  ['no question', { question: '', repository: 'x' }],
  ['no repository', { question: 'Why?', repository: '' }],
])('refuses a run with %s', async (_, order) => {
  const queue = memoryQueue({ clock: manualClock(1_000) });
  await expect(addRun(queue, order)).rejects.toMatchObject({ code: 'bad_argument' });
});
