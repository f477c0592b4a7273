/** Workers of a queue that are really killed, at each moment at which anything becomes durable. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openDatabase } from '../database.ts';
import { openQueueIn } from '../sqlite/sqlite-queue.ts';
import { jobs, topic } from './queue-worker.contract.ts';

const script = fileURLToPath(new URL('./queue-worker.contract.ts', import.meta.url));
const ends = { done: 'done', failed: 'failed', 'tried twice': 'done' };

interface Said {
  readonly kept?: string;
  readonly claimed?: string;
  readonly deaths?: number;
  readonly left?: unknown;
  readonly by?: number;
  readonly ended?: string;
  readonly state?: string;
  readonly moments?: number;
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sonde-queue-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

async function live(path: string, dieAt = 0): Promise<readonly Said[]> {
  const child = spawn(process.execPath, [script, path, `${dieAt}`], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [said, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(errors).toBe('');
  return said
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Said);
}

async function standing(path: string) {
  const db = openDatabase({ path, schemas: [], busyMs: 10_000 });
  const { jobs: all } = await openQueueIn(db).list({ topic, max: 99 });
  db.close();
  return all.toReversed();
}

it('a worker is killed at each moment: what was acknowledged stands, and each job is ended once, in turn', async () => {
  const whole = (await live(join(folder, 'whole.db'))).at(-1)?.moments ?? 0;
  expect(whole).toBeGreaterThan(40);
  for (let at = 1; at <= whole; at += 1) {
    const path = join(folder, `${at}.db`);
    const first = await live(path, at);
    const between = await standing(path);
    // All of a batch is there, or nothing.
    expect([0, jobs.length]).toContain(between.length);
    for (const { kept, ended, state } of first) {
      if (kept !== undefined) expect(between.map(({ key }) => key)).toContain(kept);
      if (ended !== undefined) expect(between).toContainEqual(expect.objectContaining({ key: ended, state }));
    }
    const held = between.filter(({ state }) => state === 'running').map(({ key }) => key);
    expect(held.length).toBeLessThanOrEqual(1);
    const second = await live(path);
    expect(second.at(-1)?.moments).toBeDefined();
    const after = await standing(path);
    expect(Object.fromEntries(after.map(({ key, state }) => [key, state]))).toEqual(ends);
    // What it had when it was killed is taken up at once, and told from what was not lost.
    expect(after.filter(({ deaths }) => deaths > 0).map(({ key }) => key)).toEqual(held);
    expect(after.every(({ deaths }) => deaths <= 1)).toBe(true);
    expect(after.map(({ attempts }) => attempts)).toEqual([0, 0, 1]);
    // Nothing that was ended is begun again; what a holder left is there for the next one.
    const over = new Set<string>();
    let left: readonly [string, number] | null = null;
    for (const { claimed, ended, left: its, by } of [...first, ...second]) {
      if (claimed !== undefined) {
        expect(over).not.toContain(claimed);
        expect([...over]).toEqual(
          jobs.slice(0, jobs.indexOf(claimed as (typeof jobs)[number])).filter((key) => over.has(key)),
        );
        if (left?.[0] === claimed) expect(its).toEqual({ by: left[1] });
      } else if (typeof its === 'string') left = [its, by!];
      if (ended !== undefined) over.add(ended);
    }
  }
});

it('a worker that is stopped past its lease can end nothing, and the next one has the job', async () => {
  const path = join(folder, 'stopped.db');
  const db = openDatabase({ path, schemas: [], busyMs: 10_000 });
  const queue = openQueueIn(db, { leaseMs: 200 });
  await queue.enqueue([{ topic, key: 'slow', payload: null }]);
  const child = spawn(process.execPath, [script, path, '0', 'stop'], { stdio: ['pipe', 'pipe', 'pipe'] });
  const errors = text(child.stderr);
  await new Promise((ready) => child.stdout.once('data', ready));
  child.kill('SIGSTOP');
  const claim = await vi.waitFor(
    async () => {
      const [taken] = await queue.claim({ topic, max: 1 });
      expect(taken?.job).toMatchObject({ key: 'slow', deaths: 1 });
      return taken!;
    },
    { timeout: 150_000, interval: 20 },
  );
  const said = text(child.stdout);
  child.kill('SIGCONT');
  child.stdin.end('go on\n');
  expect(JSON.parse(await said)).toEqual({ renew: 'lease_lost', settle: 'lease_lost' });
  expect(await errors).toBe('');
  expect(await queue.settle(claim, { kind: 'done' })).toMatchObject({ state: 'done' });
  db.close();
});
