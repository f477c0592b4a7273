/** A conversation, really killed: the same end, nothing asked twice that was recorded, no write applied twice. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase, openSessionsIn, openStoreIn } from '../../store/index.ts';
import { ThreadCheckpointer } from '../checkpoints/checkpointer.ts';
import type { Message } from '../history/messages.ts';
import { applied, turns } from './turn-worker.contract.ts';

const script = fileURLToPath(new URL('./turn-worker.contract.ts', import.meta.url));
const kills = 12;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sonde-turns-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function start() {
  const child = spawn(process.execPath, [script, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const said: { turn: number; status: string; text: string }[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => said.push(JSON.parse(line)));
  return { child, said, ended: once(child, 'close') };
}

const lines = (name: string) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n');

async function history(): Promise<readonly Message[]> {
  const db = openDatabase({ path: join(folder, 'workspace.db'), schemas: [], busyMs: 10_000 });
  const { checkpoints } = openSessionsIn(db);
  const reader = new ThreadCheckpointer({
    checkpoints,
    leaseOf: () => {
      throw new Error('only reads');
    },
  });
  const tuple = await reader.getTuple({ configurable: { thread_id: 'thread' } });
  db.close();
  return tuple!.checkpoint.channel_values['messages'] as readonly Message[];
}

it(`killed ${kills} times, a conversation of ${turns} turns comes to the same end`, async () => {
  let done = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const { child, said, ended } = start();
    const target = Math.floor((kill * turns) / kills);
    // Near the turn that it is this kill's to meet, and then at some instant within.
    while (child.exitCode === null && !said.some(({ turn }) => turn >= target)) await sleep(2);
    await sleep(Math.random() * 25);
    child.kill('SIGKILL');
    await ended;
    done = Math.max(done, ...said.map(({ turn }) => turn + 1));
  }
  const last = start();
  await last.ended;
  expect(last.said.at(-1)).toEqual({ turn: turns - 1, status: 'answered', text: `answer ${turns - 1}` });

  const messages = await history();
  expect(
    messages.map((each) => (each.kind === 'user' || each.kind === 'assistant' ? each.text : each.kind)),
  ).toEqual(
    Array.from({ length: turns }, (_, turn) => [`turn ${turn}`, '', 'tool', 'tool', `answer ${turn}`]).flat(),
  );
  // Nothing was written twice, and all of it was.
  expect(
    readdirSync(join(folder, applied))
      .filter((name) => !name.endsWith('.new'))
      .map((name) => JSON.parse(readFileSync(join(folder, applied, name), 'utf8')).turn)
      .toSorted((a, b) => a - b),
  ).toEqual(Array.from({ length: turns }, (_, turn) => turn));
  // Two questions a turn. A kill can lose one reply that was on its way; a recorded one is never asked for again.
  const asked = lines('asked');
  expect(new Set(asked).size).toBe(2 * turns);
  expect(asked.length).toBeLessThanOrEqual(2 * turns + kills);
  const db = openDatabase({ path: join(folder, 'workspace.db'), schemas: [], busyMs: 10_000 });
  const store = openStoreIn(db);
  const rows = await store.runs.list(1000);
  const bills = await Promise.all(rows.map(({ id }) => store.accounts.balance(id)));
  const unknown = bills.reduce((sum, bill) => sum + bill.unknown.calls, 0);
  // What was asked more often than answered is on the bill as unknown, not forgotten.
  expect(asked.length - 2 * turns).toBeLessThanOrEqual(unknown);
  await store.close();
  db.close();
});
