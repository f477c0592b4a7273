/** The alert intake over a real database and a real socket on this machine. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { manualClock } from '../../core/index.ts';
import { openDatabase } from '../../store/index.ts';
import { alertDesk } from './desk.ts';
import { alertEndpoint } from './endpoint.ts';
import { alertQueue } from './queue.ts';

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const token = 'planted-alert-token-0123';
const quiet = 60_000;

function queueIn(path = join(mkdtempSync(join(tmpdir(), 'sonde-alerts-')), 'sonde.db'), most = 1_000) {
  const db = openDatabase({ path, schemas: [], busyMs: 5_000 });
  closers.push(() => db.close());
  const clock = manualClock(1_000_000);
  return { path, db, clock, queue: alertQueue({ db, clock, most, quietMs: quiet }) };
}

const alert = (name: string, more: object = {}) =>
  JSON.stringify({ alertname: name, service: 'orders', ...more });

/** A desk whose investigations end when they are told. */
function deskFor(queue: ReturnType<typeof queueIn>['queue'], workers = 2) {
  const started: string[] = [];
  const open = new Map<string, { done(): void; fail(): void }>();
  let most = 0;
  const desk = alertDesk({
    queue,
    workers,
    tell: () => {},
    create: ({ id }) => `run-${id}`,
    work: (run, signal) => {
      started.push(run);
      return new Promise((resolve, reject) => {
        open.set(run, {
          done: () => {
            open.delete(run);
            resolve();
          },
          fail: () => {
            open.delete(run);
            reject(new Error('failed'));
          },
        });
        most = Math.max(most, open.size);
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    },
  });
  closers.push(() => desk.close());
  return { desk, started, open, mostAtOnce: () => most };
}

const soon = () => new Promise((done) => setTimeout(done, 15));

describe('the queue', () => {
  it('one investigation for one group, and every alert is kept', () => {
    const { queue } = queueIn();
    expect(queue.receive(alert('A', { pod: 'a-1' }))).toMatchObject({ opened: 1, joined: 0 });
    expect(queue.receive(alert('A', { pod: 'a-2' }))).toMatchObject({ opened: 0, joined: 1 });
    expect(queue.receive(alert('B'))).toMatchObject({ opened: 1 });
    expect(queue.receive(alert('A', { status: 'resolved' }))).toMatchObject({ opened: 0, resolved: 1 });
    expect(queue.counts()).toMatchObject({ alerts: 4, waiting: 2 });
  });

  it('after an investigation it is quiet for a while', () => {
    const { queue, clock } = queueIn();
    queue.receive(alert('A'));
    queue.finish(queue.take(() => 'run-1')!.id, 'done');
    expect(queue.receive(alert('A'))).toMatchObject({ joined: 1 });
    clock.advance(quiet + 1);
    expect(queue.receive(alert('A'))).toMatchObject({ opened: 1 });
  });

  it('a full queue takes nothing of a message, and says so', () => {
    const { queue } = queueIn(undefined, 2);
    queue.receive(alert('A'));
    const many = JSON.stringify([
      { alertname: 'B', service: 's' },
      { alertname: 'C', service: 's' },
    ]);
    expect(queue.receive(many)).toEqual({ kind: 'full', waiting: 1 });
    expect(queue.counts()).toMatchObject({ alerts: 1, waiting: 1 });
    expect(queue.receive(alert('A'))).toMatchObject({ kind: 'accepted', joined: 1 });
  });

  it('secrets are masked before they are kept', () => {
    const { queue, db } = queueIn();
    queue.receive(alert('A', { summary: 'password=hunter2hunter2' }));
    expect(JSON.stringify(db.all('SELECT sent FROM alerts'))).not.toContain('hunter2hunter2');
  });

  it('a run whose row cannot be written leaves the group waiting', () => {
    const { queue } = queueIn();
    queue.receive(alert('A'));
    expect(() =>
      queue.take(() => {
        throw new Error('no room');
      }),
    ).toThrow('no room');
    expect(queue.counts()).toMatchObject({ waiting: 1, running: 0 });
  });
});

describe('the desk', () => {
  it('works off what waits, so many at a time', async () => {
    const { queue } = queueIn();
    for (const name of ['A', 'B', 'C', 'D', 'E']) queue.receive(alert(name));
    const { desk, started, open, mostAtOnce } = deskFor(queue);
    desk.wake();
    while (started.length < 5) {
      await soon();
      for (const { done } of open.values()) done();
    }
    for (const { done } of open.values()) done();
    await desk.idle();
    expect(started).toEqual(['run-1', 'run-2', 'run-3', 'run-4', 'run-5']);
    expect(mostAtOnce()).toBe(2);
    expect(queue.counts()).toMatchObject({ done: 5, waiting: 0, running: 0 });
  });

  it('takes up what a crash left, and leaves what fails again and again', async () => {
    const { queue, path } = queueIn();
    queue.receive(alert('A'));
    queue.take(() => 'run-of-before');
    const again = queueIn(path);
    const { desk, started, open } = deskFor(again.queue);
    for (let n = 1; n <= 3; n += 1) {
      while (started.length < n) await soon();
      for (const { fail } of open.values()) fail();
    }
    await desk.idle();
    expect(started).toEqual(['run-of-before', 'run-of-before', 'run-of-before']);
    expect(again.queue.counts()).toMatchObject({ failed: 1, running: 0 });
  });

  it('what the end of the program cuts short stays running, to be taken up', async () => {
    const { queue } = queueIn();
    queue.receive(alert('A'));
    const { desk, started } = deskFor(queue);
    desk.wake();
    while (started.length === 0) await soon();
    await desk.close();
    expect(queue.counts()).toMatchObject({ running: 1 });
    expect(queue.interrupted()).toHaveLength(1);
  });
});

// incident.md: Pipeline 4.
describe('the endpoint', () => {
  async function endpoint(most = 1_000) {
    const { queue } = queueIn(undefined, most);
    let woken = 0;
    const server = await alertEndpoint({
      queue,
      token,
      port: 0,
      tell: () => {},
      onAlerts: () => (woken += 1),
    });
    closers.push(() => server.close());
    const post = (body: string, headers: Record<string, string> = { authorization: `Bearer ${token}` }) =>
      fetch(`${server.address}/alerts`, { method: 'POST', headers, body });
    return { queue, server, post, woken: () => woken };
  }

  it.each([
    ['no token', {}, 401],
    ['a wrong token', { authorization: 'Bearer nothing' }, 401],
    ['a page of a browser', { authorization: `Bearer ${token}`, origin: 'http://evil.example' }, 403],
  ])('%s: %j is answered %s', async (_, headers, status) => {
    const { post, queue } = await endpoint();
    expect((await post(alert('A'), headers as Record<string, string>)).status).toBe(status);
    expect(queue.counts().alerts).toBe(0);
  });

  it('keeps the alert before it answers', async () => {
    const { post, queue, woken } = await endpoint();
    const answer = await post(alert('A'));
    expect([answer.status, await answer.json()]).toEqual([
      202,
      { alerts: 1, opened: 1, joined: 0, resolved: 0 },
    ]);
    expect(queue.counts()).toMatchObject({ alerts: 1, waiting: 1 });
    expect(woken()).toBe(1);
  });

  it.each([
    ['an empty body', '', 400],
    ['a body of five million bytes', 'x'.repeat(5_000_000), 413],
  ])('%s is refused', async (_, body, status) => {
    const { post } = await endpoint();
    expect(
      await post(body).then(
        ({ status: got }) => got,
        () => status,
      ),
    ).toBe(status);
  });

  it('says when to come again', async () => {
    const { post } = await endpoint(1);
    await post(alert('A'));
    const full = await post(alert('B'));
    expect([full.status, full.headers.get('retry-after')]).toEqual([429, '30']);
  });

  it('a storm of 1,000 alerts: none lost, few groups', async () => {
    const { post, queue } = await endpoint();
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, (_, n) =>
        post(alert(`Alert${n % 7}`, { pod: `pod-${n}`, fired_at: 1_772_706_240 + n })),
      ),
    );
    expect(answers.every(({ status }) => status === 202)).toBe(true);
    expect(queue.counts()).toMatchObject({ alerts: 1_000, waiting: 7 });
  });

  it('a port that is taken is named', async () => {
    const { server, queue } = await endpoint();
    const port = Number(new URL(server.address).port);
    await expect(
      alertEndpoint({ queue, token, port, tell: () => {}, onAlerts: () => {} }),
    ).rejects.toMatchObject({ code: 'bad_argument', message: expect.stringContaining(String(port)) });
  });
});
