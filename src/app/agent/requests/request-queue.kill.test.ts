/** world.md: Errors 6; IPC surface 4. An agent that really dies, and a request that it dies over. */
import { fork } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type Database,
  deathLimits,
  openDatabase,
  openQueueIn,
  type Queue,
  readDeaths,
  thisProcess,
} from '../../../store/index.ts';
import type { Child } from '../channel/child-wire.ts';
import { type Supervisor, supervise } from '../supervise.ts';
import { openRequestQueue, type RequestQueue } from './request-queue.ts';
import { type RequestRow, requestTopic, toRequestRow } from './request-rows.ts';

const program = fileURLToPath(new URL('./dying-worker.contract.ts', import.meta.url));

let db: Database;
let queue: Queue;
let desk: RequestQueue | undefined;
let kept: Supervisor | undefined;
let agents: number;
let told: string[];
/** Where a request that climbs keeps how far it is. */
let height: string;

function start(): Child {
  agents += 1;
  const child = fork(program, { serialization: 'json', stdio: ['ignore', 2, 2, 'ipc'], execArgv: [] });
  return {
    wire: {
      send: (value) => void (child.connected && child.send(value as object, () => {})),
      onMessage: (listener) => void child.on('message', listener),
    },
    pid: child.pid ?? -1,
    gone: new Promise((done) => child.once('exit', (code, signal) => done(signal ?? `exit ${code}`))),
    kill: (signal) => void child.kill(signal),
  };
}

async function open(): Promise<void> {
  await desk?.close();
  queue = openQueueIn(db);
  desk = await openRequestQueue({
    queue,
    tell: (line) => told.push(line),
    progress: async (thread) =>
      thread === 'climber' && existsSync(height) ? Number(readFileSync(height, 'utf8')) : 0,
    issue: () => ({ tools: { url: 'http://127.0.0.1:1', token: 't' }, revoke: () => {} }),
  });
}

function serve(): void {
  kept = supervise({
    start,
    onUp: (client) => desk?.up(client),
    onDown: () => desk?.down(),
    // Without the pauses between one death and the next.
    sleep: () => sleep(1),
  });
}

beforeEach(async () => {
  agents = 0;
  told = [];
  height = join(mkdtempSync(join(tmpdir(), 'sonde-desk-')), 'height');
  db = openDatabase({ path: ':memory:', schemas: [], busyMs: 1000 });
  await open();
});
afterEach(async () => {
  await kept?.close();
  kept = undefined;
  await desk?.close();
  desk = undefined;
  db.close();
});

const row = async (id: string): Promise<RequestRow> => toRequestRow((await queue.get(requestTopic, id))!);

const post = (thread: string, text: string) =>
  desk!.post({
    id: `${thread} ${text}`,
    thread,
    request: { kind: 'message', text, schedule: null, event: null, limits: null },
  });

/** What waits is with an agent of a host that died. */
async function lose(): Promise<void> {
  const gone = openQueueIn(db, { holder: { ...thisProcess(), started: '1' } });
  expect(await gone.claim({ topic: requestTopic, max: 9 })).toHaveLength(1);
}

const { idleCrashes, idleDeaths, inAll } = deathLimits;

it(`gives up a request over which ${idleCrashes} agents died, with an error that stays, and does the others`, async () => {
  const sent = [
    ['bad', 'poison'],
    ['bad', 'after it'],
    ['good', 'one'],
    ['good', 'two'],
    ['fine', 'three'],
  ] as const;
  const ends: string[] = [];
  desk!.onEvent((thread, event) => event.kind === 'turn_ended' && ends.push(`${thread} ${event.text}`));
  for (const [thread, text] of sent) await post(thread, text);
  serve();
  const outcomes = await Promise.all(sent.map(([thread, text]) => desk!.waitUntilDone(`${thread} ${text}`)));
  expect(outcomes).toEqual([
    {
      status: 'failed',
      text: `The turn is given up: its own process died ${idleCrashes} times without coming any further.`,
      error: { code: 'tool_failed', remedy: expect.stringContaining('bad'), deaths: idleCrashes },
    },
    ...['after it', 'one', 'two', 'three'].map((text) => ({ status: 'answered', text })),
  ]);
  expect(agents).toBe(idleCrashes + 1);
  // Whichever process it was: an event is told under the thread that was named.
  expect(ends.toSorted()).toEqual(
    sent
      .slice(1)
      .map((each) => each.join(' '))
      .toSorted(),
  );
  expect(told.filter((line) => line.includes('is given up'))).toHaveLength(1);
  // What was at work beside it is suspected once, and then done apart from it.
  const rows = await Promise.all(sent.map(([thread, text]) => row(`${thread} ${text}`)));
  expect(rows.map(({ deaths }) => deaths)).toEqual([idleCrashes, ...[0, 1, 0, 1]]);
  // Whoever asks later, and sends it again, finds the same.
  expect((await post('bad', 'poison')).outcome).toEqual(outcomes[0]);
  expect(await desk!.waitUntilDone('bad poison')).toEqual(outcomes[0]);
  expect(agents).toBe(idleCrashes + 1);
});

it(`counts the deaths of hosts, too, so that a request ends no more than ${idleDeaths} of them`, async () => {
  await post('bad', 'poison');
  for (let death = 0; death < idleDeaths; death += 1) {
    // The host is gone, and with it the agent; the next one opens the same queue.
    await lose();
    await open();
  }
  expect(await desk!.waitUntilDone('bad poison')).toMatchObject({
    status: 'failed',
    error: { deaths: idleDeaths },
  });
  serve();
  await post('bad', 'next');
  expect(await desk!.waitUntilDone('bad next')).toEqual({ status: 'answered', text: 'next' });
  expect(agents).toBe(1);
});

/** Deaths of host and agent at once; the next host opens the same queue. */
async function die(kept: number): Promise<void> {
  await lose();
  writeFileSync(height, String(kept));
  await open();
}

it('does not give up a request that ends agent after agent, and comes further with each', async () => {
  const top = idleDeaths + 4;
  const text = `climb ${top} ${height}`;
  await post('climber', text);
  serve();
  expect(await desk!.waitUntilDone(`climber ${text}`)).toMatchObject({ status: 'answered' });
  expect(await row(`climber ${text}`)).toMatchObject({ deaths: top });
  expect(agents).toBe(top + 1);
});

it('gives it up in the end, however far it comes', async () => {
  const text = `climb 1000000 ${height}`;
  const id = `climber ${text}`;
  await post('climber', text);
  const before = inAll - 3;
  for (let death = 1; death <= before; death += 1) await die(death);
  serve();
  expect(await desk!.waitUntilDone(id)).toMatchObject({
    status: 'failed',
    text: `The turn is given up: ${inAll} processes, workers or its own, died over it.`,
    error: { deaths: inAll },
  });
  expect(agents).toBeLessThanOrEqual(inAll - before + 1);
  expect(Number(readFileSync(height, 'utf8'))).toBe(inAll);
});

it('a request that came further, and then no more, is given up after as many deaths as one that never did', async () => {
  await post('climber', 'up');
  // How far it is, and where it stays: what it does from there on is not kept.
  const steps = [1, 2, 3, ...Array(idleDeaths).fill(3)];
  for (const [death, kept] of steps.entries()) {
    await die(kept);
    const job = (await queue.get(requestTopic, 'climber up'))!;
    const idle = death === 0 ? 1 : Math.max(0, death - 2);
    expect([death, job.deaths - readDeaths(job)!.deaths]).toEqual([death, idle]);
    expect(job.state).toBe(idle >= idleDeaths ? 'failed' : 'waiting');
  }
  expect(await row('climber up')).toMatchObject({
    deaths: 3 + idleDeaths,
    outcome: {
      text: `The turn is given up: ${idleDeaths} processes, workers or its own, died over it without coming any further.`,
    },
  });
});
