/**
 * A durable step of a run in PostgreSQL beside the same in a file: it reserves, then records 2 KB, settles and tells, which
 * are two commits. Runs go on side by side in this process; each round does some of each engine, in turns. Then the same
 * through a way of 2 ms, which tells how many trips a step takes, and what one question without a model sends.
 * Last the jobs and runs a second of two workers, and in turns with them those of another engine, by a program that prints
 * `… N jobs/s` (`--beside FILE`, called with the number of jobs and of slots).
 * `SONDE_STORE_URL=postgres://… node bench/team.ts [--rounds 5] [--steps 20] [--jobs 1000] [--only-jobs]`: into an empty
 * database. Prints JSON.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { openPool, openPostgresStore, openStore } from '../src/bench.ts';
import { jobsPerSecond } from './team-runs.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    steps: { type: 'string', default: '20' },
    jobs: { type: 'string', default: '1000' },
    beside: { type: 'string' },
    'only-jobs': { type: 'boolean', default: false },
  },
});
const rounds = values['only-jobs'] ? 0 : Number(values.rounds);
const steps = Number(values.steps);
const url = process.env['SONDE_STORE_URL'];
if (url === undefined) throw new Error('SONDE_STORE_URL names no database');

type Store = ReturnType<typeof openStore>;
const work = mkdtempSync(join(tmpdir(), 'sonde-bench-team-'));
const stores = { sqlite: openStore(join(work, 'sonde.db')), postgres: openPostgresStore({ url }) };
const text = 'x'.repeat(2_000);
const ask = promisify(execFile);
let serial = 0;
let trips = 0;

/** Of a step of so many runs at once: milliseconds, and trips through the slow way. */
async function timeRuns(store: Store, runs: number, count = steps) {
  const all = await Promise.all(
    Array.from({ length: runs }, async () => {
      serial += 1;
      const id = `run-${process.pid}-${serial}`;
      await store.runs.create({ id, shape: 'research', question: 'How fast?', root: '/', params: {} });
      const lease = await store.runs.acquire(id);
      const limits = { tokens: 1e9 };
      const pool = openPool(store.ledger(lease), { account: id, run: id, fence: lease.fence, limits });
      return { lease, pool, log: store.log(lease), journal: store.journal(lease) };
    }),
  );
  const begun = { at: performance.now(), trips };
  await Promise.all(
    all.map(async ({ lease, pool, log, journal }) => {
      for (let n = 0; n < count; n += 1) {
        const reserved = pool.reserve(`step-${n}`, { tokens: 100 });
        if (reserved.kind === 'exhausted') throw new Error('the pool of the bench is too small');
        await store.commit(lease);
        store.atomic(() => {
          journal.record(`step-${n}`, text);
          reserved.settle({ tokens: 90 });
          log.append(`step-${n}`, { kind: 'step_started', step: n, left: { tokens: 1 } });
        });
        await store.commit(lease);
      }
    }),
  );
  const ms = (performance.now() - begun.at) / (runs * count);
  const tripsOfStep = (trips - begun.trips) / (runs * count);
  for (const { lease, pool } of all) {
    pool.close();
    await lease.release();
  }
  return { ms, trips: tripsOfStep };
}

const median = (all: readonly number[]): number =>
  all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;
const rounded = (value: number): number => Math.round(value * 1000) / 1000;

const sides = [1, 8, 32].flatMap((runs) =>
  (['sqlite', 'postgres'] as const).map((engine) => ({ engine, runs, ms: [] as number[] })),
);
for (let round = -1; round < rounds && rounds > 0; round += 1)
  for (const { engine, runs, ms } of sides) {
    const one = await timeRuns(stores[engine], runs);
    if (round >= 0) ms.push(one.ms);
  }
const alone = median(sides[0]!.ms);

/** A way to the server that takes a millisecond in each direction, or a little more: timers are late. Trips are counted. */
const { hostname, port } = new URL(url);
const slow = createServer((socket) => {
  const server = connect(Number(port || 5432), hostname);
  let isAnswered = true;
  socket.on('data', () => {
    if (isAnswered) trips += 1;
    isAnswered = false;
  });
  server.on('data', () => {
    isAnswered = true;
  });
  for (const one of [socket, server]) one.setNoDelay(true);
  for (const [from, to] of [
    [socket, server],
    [server, socket],
  ] as const) {
    from.on('data', (chunk) => setTimeout(() => to.writable && to.write(chunk), 1));
    from.on('close', () => setTimeout(() => to.destroy(), 5));
    from.on('error', () => to.destroy());
  }
});
await new Promise<void>((done) => slow.listen(0, '127.0.0.1', done));
const through = new URL(url);
through.hostname = '127.0.0.1';
through.port = String((slow.address() as { port: number }).port);
const far = openPostgresStore({ url: String(through) });
type Step = Awaited<ReturnType<typeof timeRuns>>;
const farSteps: Step[] = [];
const nearSteps: Step[] = [];
for (let round = -1; round < rounds && rounds > 0; round += 1) {
  const [near, away] = [await timeRuns(stores.postgres, 1), await timeRuns(far, 1)];
  if (round < 0) continue;
  nearSteps.push(near);
  farSteps.push(away);
}
const msOf = (all: readonly Step[]): number => median(all.map(({ ms }) => ms));
/** Milliseconds by which a read of one row is longer through the slow way: one trip. */
const reads = { near: [] as number[], far: [] as number[] };
for (let n = 0; n < 50 && rounds > 0; n += 1)
  for (const [store, list] of [
    [stores.postgres, reads.near],
    [far, reads.far],
  ] as const) {
    const begun = performance.now();
    await store.lastEvent('run-0');
    list.push(performance.now() - begun);
  }
const tripMs = median(reads.far) - median(reads.near);
await far.close();
slow.close();

/** What one question without a model sends: statements, and how many of them end a transaction. */
const sent = { statements: 0, commits: 0 };
const counting = createServer((socket) => {
  const server = connect(Number(port || 5432), hostname);
  let rest = Buffer.alloc(0);
  let started = false;
  let isOpen = false;
  let name = '';
  socket.on('data', (chunk: Buffer) => {
    server.write(chunk);
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const head = started ? 1 : 0;
      if (rest.length < head + 4) return;
      const end = head + rest.readInt32BE(head);
      if (rest.length < end) return;
      const kind = String.fromCharCode(rest[0]!);
      if (started && kind === 'B') [, name = ''] = rest.subarray(5, end).toString('latin1').split('\0');
      if (started && kind === 'S') {
        sent.statements += 1;
        isOpen = name === 'begin' || (isOpen && name !== 'commit');
        if (!isOpen) sent.commits += 1;
      }
      started = true;
      rest = rest.subarray(end);
    }
  });
  server.on('data', (chunk) => socket.write(chunk));
  for (const [one, other] of [
    [socket, server],
    [server, socket],
  ] as const)
    one.on('error', () => other.destroy()).on('close', () => other.destroy());
});
await new Promise<void>((done) => counting.listen(0, '127.0.0.1', done));
const counted = new URL(url);
counted.hostname = '127.0.0.1';
counted.port = String((counting.address() as { port: number }).port);
const tree = join(work, 'tree');
mkdirSync(tree);
writeFileSync(join(tree, 'a.ts'), 'export const retries = 3;\n');
const program = join(import.meta.dirname, '../bin/sonde.mjs');
await ask(process.execPath, [program, 'ask', 'How many retries?', tree, '--model', 'extractive', '--json'], {
  env: {
    ...process.env,
    SONDE_HOME: join(work, 'home'),
    SONDE_STORE: 'postgres',
    SONDE_STORE_URL: String(counted),
  },
});
counting.close();

/** Jobs a second, of each round: of ours, of ours as whole runs, of the other engine. */
const aSecond = { jobs: [] as number[], runs: [] as number[], beside: [] as number[] };
for (let round = 0; round < Number(values.rounds); round += 1) {
  aSecond.jobs.push(await jobsPerSecond(url, Number(values.jobs), false));
  if (values.beside !== undefined) {
    const { stdout } = await ask(process.execPath, [values.beside, values.jobs, '8']);
    aSecond.beside.push(Number(/(\d+) jobs\/s/.exec(stdout)?.[1]));
  }
  aSecond.runs.push(await jobsPerSecond(url, Number(values.jobs), true));
}

console.log(
  JSON.stringify(
    {
      step_ms: sides.map(({ engine, runs, ms }) => ({
        engine,
        runs,
        median: rounded(median(ms)),
        to_one_in_a_file: rounded(median(ms) / alone),
      })),
      trips_a_step: rounded(median(farSteps.map((step) => step.trips))),
      slow: {
        trip_ms: rounded(tripMs),
        step_longer_by_ms: rounded(msOf(farSteps) - msOf(nearSteps)),
        step_longer_by_trips: rounded((msOf(farSteps) - msOf(nearSteps)) / tripMs),
      },
      question: sent,
      a_second: aSecond,
      rounds,
      steps,
    },
    null,
    1,
  ),
);
for (const store of Object.values(stores)) await store.close();
rmSync(work, { recursive: true });
