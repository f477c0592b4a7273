/** Real processes, really killed: what the store acknowledged is there, and what it held is not lost. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { zeroAmounts } from '../../core/index.ts';
import { openStore } from '../open-store.ts';
import type { Store } from '../store.ts';
import { reservedTokens, shared, spentTokens, stepsInARun, stepTokens } from './crash-worker.contract.ts';

const script = fileURLToPath(new URL('./crash-worker.contract.ts', import.meta.url));
const kills = 24;

interface Said {
  readonly acquired?: number;
  readonly recovered?: number;
  readonly reserved?: string;
  readonly recorded?: string;
  readonly reply?: unknown;
  readonly logged?: string;
  readonly ready?: boolean;
  readonly name?: string;
  readonly code?: string;
  readonly granted?: number;
  readonly moments?: number;
}

let folder: string;
let path: string;
let children: ChildProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sonde-crash-'));
  path = join(folder, 'deep', 'sonde.db');
  children = [];
});

afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

function start(mode: 'work' | 'pause' | 'share' | 'steps', run: string, ...more: readonly string[]) {
  const child = spawn(process.execPath, [script, mode, path, run, ...more], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  children.push(child);
  const said: Said[] = [];
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  createInterface({ input: child.stdout }).on('line', (line) => said.push(JSON.parse(line)));
  const ended = once(child, 'close').then(() => said);
  async function until(wanted: (words: Said) => boolean, times = 1): Promise<void> {
    while (said.filter(wanted).length < times) {
      if (child.exitCode !== null) throw new Error(`the worker ended: ${errors}`);
      await sleep(2);
    }
  }
  return { child, said, ended, until, errors: () => errors };
}

async function createRun(store: Store, id: string): Promise<void> {
  await store.runs.create({ id, shape: 'research', question: 'why?', root: '/', params: {} });
  // So that there is a balance to read, however early the first worker ends.
  await store.accounts.open({ id, parent: null, limits: {}, reserve: {} });
}

/** Everything the worker was told is done, is done. */
async function checkAcknowledged(store: Store, run: string, said: readonly Said[]): Promise<void> {
  const keys = new Set((await store.events(run)).map(({ key }) => key));
  const { recall } = await store.openRecorded(run);
  for (const { recorded, reply, logged } of said) {
    if (recorded !== undefined) {
      expect(recall(recorded)).toEqual(reply);
      expect(keys).toContain(recorded);
    }
    if (logged !== undefined) expect(keys).toContain(logged);
  }
}

/** The ledger is exactly what was settled and what was given up for lost, and covers what was billed. */
async function checkLedger(store: Store, run: string): Promise<void> {
  const events = await store.events(run);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  let replies = 0;
  let recovered = 0;
  for (const { event } of events) {
    if (event.kind === 'model_replied') replies += 1;
    if (event.kind === 'run_resumed') recovered += event.recovered;
  }
  const { spent, unknown, reserved } = await store.accounts.balance(run);
  // What a killed worker held was a call, or one of the reservations of fuel that are let go at once.
  expect(unknown.calls + unknown.fuel).toBe(recovered);
  expect(unknown.tokens).toBe(unknown.calls * reservedTokens);
  expect(spent.tokens - unknown.tokens).toBe(replies * spentTokens);
  expect(spent.calls - unknown.calls).toBe(replies);
  expect(reserved.tokens).toBeLessThanOrEqual(reservedTokens);

  const billed = existsSync(`${path}.bill`) ? readFileSync(`${path}.bill`, 'utf8').split('\n') : [];
  const bills = billed.filter((line) => line.startsWith(`${run} `));
  expect(bills.length).toBeLessThanOrEqual(spent.calls + reserved.calls);
}

it(`is killed at ${kills} instants, and loses, leaks and pays twice nothing`, async () => {
  const runs = ['run-a', 'run-b'];
  const store = openStore(path);
  for (const run of runs) await createRun(store, run);
  const recorded = new Map<string, string>();
  for (let round = 0; round < kills / runs.length; round += 1) {
    const workers = runs.map((run) => ({ run, ...start('work', run) }));
    // Two processes write at once, and each is killed at an instant of its own.
    await Promise.all(
      workers.map(async ({ child, until, ended }) => {
        // After so many words, however slow the machine is, and then at some instant between two of them.
        await until(() => true, 1 + round);
        await sleep(Math.random() * 15);
        child.kill('SIGKILL');
        await ended;
      }),
    );
    for (const { run, said, errors } of workers) {
      expect(errors()).toBe('');
      // The lease of the dead was taken over at once, though it had half a minute to go.
      expect(said[0]).toMatchObject({ acquired: round + 1 });
      expect(await store.runs.isHeld(run)).toBe(false);
      await checkAcknowledged(store, run, said);
      await checkLedger(store, run);
      for (const words of said) {
        if (words.recorded === undefined) continue;
        // A call that was recorded is never made again.
        expect(recorded.has(`${run} ${words.recorded}`)).toBe(false);
        recorded.set(`${run} ${words.recorded}`, run);
      }
    }
  }
  // Every third word is of a record.
  expect(recorded.size).toBeGreaterThanOrEqual(kills);
  for (const run of runs) {
    const lease = await store.runs.acquire(run);
    const ledger = store.ledger(lease);
    const { calls, fuel } = ledger.balance(run).reserved;
    expect(ledger.recover(run, lease.fence)).toBe(calls + fuel);
    expect(ledger.recover(run, lease.fence)).toBe(0);
    await store.commit(lease);
    expect((await store.accounts.balance(run)).reserved).toEqual(zeroAmounts);
  }
  await store.close();
});

it('a step is killed at each of its moments: at most itself is lost, and nothing is paid twice', async () => {
  const store = openStore(path);
  const whole = 'run-whole';
  await createRun(store, whole);
  const moments = (await start('steps', whole).ended).at(-1)?.moments ?? 0;
  expect(moments).toBeGreaterThan(30);
  for (let at = 1; at <= moments; at += 1) {
    const run = `run-${at}`;
    await createRun(store, run);
    const first = await start('steps', run, String(at)).ended;
    expect((await store.runs.get(run)).status).toBe('running');
    for (const { recorded, reply } of first)
      if (recorded !== undefined) expect((await store.openRecorded(run)).recall(recorded)).toEqual(reply);
    const rest = start('steps', run);
    const said = await rest.ended;
    expect(rest.errors()).toBe('');
    // What the first life was told stands, and the second goes on with it.
    const replies = new Map([...said, ...first].map(({ recorded, reply }) => [recorded, reply]));
    for (const { recorded, reply } of said) expect(replies.get(recorded)).toEqual(reply);
    expect((await store.runs.get(run)).status).toBe('finished');
    const told = stepsInARun.flatMap((key) => [`${key}/begun`, `${key}/told`]);
    expect(
      (await store.events(run)).map(({ key }) => key).filter((key) => !key.startsWith('resumed')),
    ).toEqual(told);
    const billed = readFileSync(`${path}.bill`, 'utf8').split(`${run} `).length - 1;
    const { spent, unknown, reserved } = await store.accounts.balance(run);
    // At most the step that was under way is asked again, and what it may have cost is counted.
    expect(billed).toBeLessThanOrEqual(3);
    expect(reserved.tokens).toBe(0);
    expect(spent.tokens).toBe(2 * stepTokens.billed + unknown.tokens);
    expect(unknown.tokens).toBe(unknown.calls * stepTokens.reserved);
    expect(spent.calls).toBeGreaterThanOrEqual(billed);
    expect(spent.calls).toBeLessThanOrEqual(3);
  }
  await store.close();
});

it('is killed while it is made, and opens', async () => {
  for (let round = 0; round < 12; round += 1) {
    path = join(folder, `made-${round}`, 'sonde.db');
    const { child, ended } = start('share', 'run');
    // Node itself takes some of this to start.
    await sleep(30 + Math.random() * 70);
    child.kill('SIGKILL');
    await ended;
    const store = openStore(path);
    await createRun(store, 'run-a');
    const lease = await store.runs.acquire('run-a');
    store.log(lease).append('a', { kind: 'note', level: 'info', text: 'a' });
    await store.commit(lease);
    await store.close();
  }
});

it('is made and drawn on by several processes at once', async () => {
  const workers = ['a', 'b', 'c', 'd'].map((run) => start('share', run));
  const said = await Promise.all(workers.map(({ ended }) => ended));
  expect(workers.map(({ errors }) => errors())).toEqual(['', '', '', '']);
  const granted = said.map(([words]) => words?.granted ?? 0).reduce((sum, each) => sum + each, 0);
  expect(granted).toBe(shared.limit / shared.amount);
  const store = openStore(path);
  expect(await store.accounts.balance('shared')).toMatchObject({
    spent: { tokens: shared.limit },
    reserved: { tokens: 0 },
  });
  await store.close();
});

it('refuses everything of a worker that was paused past its lease', async () => {
  const store = openStore(path);
  await createRun(store, 'run-a');
  const { child, until, ended } = start('pause', 'run-a');
  await until(({ ready }) => ready === true);
  child.kill('SIGSTOP');
  const lease = await vi.waitFor(() => store.runs.acquire('run-a'), { timeout: 150_000, interval: 20 });
  expect(store.ledger(lease).recover('run-a', lease.fence)).toBe(1);
  store.log(lease).append('taken', { kind: 'note', level: 'info', text: 'taken over' });
  await store.commit(lease);

  child.kill('SIGCONT');
  child.stdin?.end('go on\n');
  const said = await ended;
  expect(said.flatMap(({ name, code }) => (name === undefined ? [] : [[name, code]]))).toEqual(
    ['renew', 'append', 'record', 'reserve', 'settle', 'release', 'finish'].map((name) => [
      name,
      'lease_lost',
    ]),
  );
  expect((await store.events('run-a')).map(({ key }) => key)).toEqual(['resumed-1', 'taken']);
  expect(await store.accounts.balance('run-a')).toMatchObject({
    spent: { tokens: 10 },
    unknown: { tokens: 10 },
    reserved: { tokens: 0 },
  });
  // The end of the paused worker has not taken the lease of the other.
  expect(await store.runs.isHeld('run-a')).toBe(true);
  await store.close();
});
