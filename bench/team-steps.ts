/**
 * Steps of 2 KB of 32 runs at once, in two processes, each run with its part of one team's pool, beside one run in a file
 * that syncs each commit, in turns. `--beside FOLDER` takes the file's side from another version of Sonde: a checkout with
 * its packages. `node bench/team-steps.ts [--rounds 5] [--steps 40] [--beside FOLDER]` starts a PostgreSQL of its own.
 * Prints JSON: milliseconds a step, of all runs together.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openPool, openPostgresStore, type openStore } from '../src/bench.ts';
import { startServer } from './team/server.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    steps: { type: 'string', default: '40' },
    beside: { type: 'string' },
    worker: { type: 'string' },
    runs: { type: 'string', default: '16' },
  },
});
const steps = Number(values.steps);
const text = 'x'.repeat(2_000);
const processes = 2;

type Store = ReturnType<typeof openStore>;

/** Milliseconds from the first step to the last. */
async function timeRuns(store: Store, names: readonly string[]): Promise<number> {
  const all = await Promise.all(
    names.map(async (id) => {
      await store.runs.create({ id, shape: 'research', question: 'How fast?', root: '/', params: {} });
      const lease = await store.runs.acquire(id);
      const limits = { tokens: 1e9 };
      const pool = openPool(store.ledger(lease), { account: id, run: id, fence: lease.fence, limits });
      return { lease, pool, log: store.log(lease), journal: store.journal(lease) };
    }),
  );
  const begun = performance.now();
  await Promise.all(
    all.map(async ({ lease, pool, log, journal }) => {
      for (let n = 0; n < steps; n += 1) {
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
  const ms = performance.now() - begun;
  for (const { lease, pool } of all) {
    pool.close();
    await lease.release();
  }
  return ms;
}

/** Works each time that it is told to, after it drew the parts of its runs. */
async function work(url: string, count: number): Promise<void> {
  const store = openPostgresStore({ url });
  process.on('message', async (round: number) => {
    const names = Array.from({ length: count }, (_, n) => `run-${round}-${process.pid}-${n}`);
    for (const run of names) {
      const key = { run: `${run}.part`, step: 'part', fence: 1 };
      const drawn = await store.accounts.reserve({ account: 'team', key, amounts: { tokens: 1e6 } });
      if (drawn.kind === 'exhausted') throw new Error('the pool of the bench is too small');
    }
    const ms = await timeRuns(store, names);
    for (const run of names) await store.accounts.settle(`${run}.part/part#1`, { tokens: 90 * steps });
    process.send!(ms);
  });
  process.send!('ready');
}

async function main(): Promise<void> {
  const server = await startServer();
  const place = mkdtempSync(join(tmpdir(), 'sonde-bench-steps-'));
  const url = await server.fresh();
  const folder = values.beside === undefined ? join(import.meta.dirname, '..') : resolve(values.beside);
  const { openStore: openFile } = (await import(join(folder, 'src/bench.ts'))) as {
    openStore: typeof openStore;
  };
  const file = openFile(join(place, 'sonde.db'));
  const team = openPostgresStore({ url });
  await team.accounts.open({ id: 'team', parent: null, limits: { tokens: 1e12 }, reserve: {} });
  const workers = Array.from({ length: processes }, () =>
    fork(import.meta.filename, ['--worker', url, '--steps', values.steps, '--runs', values.runs]),
  );
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  const sides = { file: [] as number[], team: [] as number[] };
  const runs = processes * Number(values.runs);
  for (let round = -1; round < Number(values.rounds); round += 1) {
    const alone = (await timeRuns(file, [`run-${round}`])) / steps;
    const told = workers.map((worker) => once(worker, 'message'));
    for (const worker of workers) worker.send(round);
    const together = Math.max(...(await Promise.all(told)).map(([ms]) => Number(ms))) / (steps * runs);
    if (round < 0) continue;
    sides.file.push(alone);
    sides.team.push(together);
  }
  const { reserved } = await team.accounts.balance('team');
  const median = (all: readonly number[]): number =>
    all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)]!;
  const rounded = (value: number): number => Math.round(value * 1000) / 1000;
  console.log(
    JSON.stringify({
      ...{ rounds: Number(values.rounds), steps, runs, held: reserved.tokens },
      ...{ file_ms: rounded(median(sides.file)), team_ms: rounded(median(sides.team)) },
      team_to_file: rounded(median(sides.team) / median(sides.file)),
      each: { file: sides.file.map(rounded), team: sides.team.map(rounded) },
    }),
  );
  for (const worker of workers) worker.kill();
  await file.close();
  await team.close();
  server.stop();
  rmSync(place, { recursive: true, force: true });
}

if (values.worker === undefined) await main();
else await work(values.worker, Number(values.runs));
