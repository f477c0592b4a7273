/** Real processes, really killed and really stopped. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openDatabase, openSessionsIn } from '../../store/index.ts';
import { pauseStep } from '../crash-worker.contract.ts';
import { ThreadCheckpointer } from './checkpointer.ts';

const script = fileURLToPath(new URL('../crash-worker.contract.ts', import.meta.url));
const steps = 150;
const kills = 12;

interface Said {
  readonly fence?: number;
  readonly step?: number;
  readonly done?: boolean;
  readonly failed?: string;
}

let folder: string;
let path: string;
let children: ChildProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sonde-thread-'));
  path = join(folder, 'workspace.db');
  children = [];
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

function start(mode: 'work' | 'pause', durability: string) {
  const child = spawn(process.execPath, [script, mode, path, String(steps), durability], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const said: Said[] = [];
  createInterface({ input: child.stdout! }).on('line', (line) => said.push(JSON.parse(line)));
  const ended = once(child, 'close').then(() => said);
  async function until(count: number): Promise<void> {
    while (said.length < count && child.exitCode === null) await sleep(2);
  }
  return { child, said, ended, until };
}

/** Every checkpoint there is can be read, and holds exactly the steps before it. */
async function checkWhole(): Promise<number> {
  const db = openDatabase({ path, schemas: [], busyMs: 10_000 });
  const { checkpoints, close } = openSessionsIn(db);
  const reader = new ThreadCheckpointer({
    checkpoints,
    leaseOf: () => {
      throw new Error('only reads');
    },
  });
  let last = -1;
  for (const { thread, id } of await checkpoints.heads({ thread: 'thread' })) {
    const tuple = await reader.getTuple({
      configurable: { thread_id: thread, checkpoint_ns: '', checkpoint_id: id },
    });
    const { items = [], step = 0 } = tuple!.checkpoint.channel_values as {
      items?: { step: number; text: string }[];
      step?: number;
    };
    expect(items.map((item) => item.step)).toEqual(Array.from({ length: step }, (_, index) => index));
    expect(items.every((item) => item.text === `${item.step} `.repeat(item.step % 7 === 0 ? 2000 : 20))).toBe(
      true,
    );
    last = Math.max(last, step);
  }
  close();
  db.close();
  return last;
}

it.each(['sync', 'async'])(
  `is killed at ${kills} instants, is never torn, and repeats one step at most (%s)`,
  async (durability) => {
    const begun: number[] = [];
    for (let round = 0; round < kills; round += 1) {
      const { child, ended, until } = start('work', durability);
      // After so many steps, and then at some instant within one.
      await until(2 + Math.floor((round * steps) / kills / 8));
      await sleep(Math.random() * 10);
      child.kill('SIGKILL');
      const said = await ended;
      expect(said[0]).toEqual({ fence: round + 1 });
      const first = said.find(({ step }) => step !== undefined)?.step;
      const before = begun.at(-1);
      // The step in flight at the kill; where no step waits for its checkpoint, also the one before it.
      const repeated = durability === 'sync' ? 0 : 1;
      if (first !== undefined && before !== undefined)
        expect(first).toBeGreaterThanOrEqual(before - repeated);
      begun.push(...said.flatMap(({ step }) => (step === undefined ? [] : [step])));
      await checkWhole();
    }
    expect(await start('work', durability).ended).toContainEqual({ done: true });
    expect(await checkWhole()).toBe(steps);
  },
);

it('writes nothing once it was stopped past its lease and another took over', async () => {
  const old = start('pause', 'async');
  while (!old.said.some(({ step }) => step === pauseStep)) {
    expect(old.child.exitCode).toBeNull();
    await sleep(2);
  }
  await stopOutsideTransaction(old.child);
  await leaseIsOver();
  expect(await start('work', 'sync').ended).toContainEqual({ done: true });
  const before = await snapshot();
  old.child.kill('SIGCONT');
  old.child.stdin!.end('go on\n');
  const said = await old.ended;
  expect(said.at(-1)).toEqual({ failed: 'lease_lost' });
  expect(await snapshot()).toEqual(before);
  expect(await checkWhole()).toBe(steps);
});

/** A process that is stopped in a transaction keeps the lock of SQLite, so that nobody could take over. */
async function stopOutsideTransaction(child: ChildProcess): Promise<void> {
  for (;;) {
    child.kill('SIGSTOP');
    if (isWritable()) return;
    child.kill('SIGCONT');
    await sleep(5);
  }
}

function isWritable(): boolean {
  const db = new DatabaseSync(path, { timeout: 500 });
  try {
    db.exec('BEGIN IMMEDIATE; ROLLBACK');
    return true;
  } catch {
    return false;
  } finally {
    db.close();
  }
}

async function leaseIsOver(): Promise<void> {
  const db = openDatabase({ path, schemas: [], busyMs: 10_000 });
  const { threads, close } = openSessionsIn(db);
  await (await vi.waitFor(() => threads.acquire('thread'), { timeout: 150_000, interval: 20 })).release();
  close();
  db.close();
}

async function snapshot(): Promise<unknown> {
  const db = openDatabase({ path, schemas: [], busyMs: 10_000 });
  const { checkpoints, close } = openSessionsIn(db);
  const found = {
    usage: await checkpoints.usage(),
    latest: (await checkpoints.latest('thread', ''))?.id,
  };
  close();
  db.close();
  return found;
}
