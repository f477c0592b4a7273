/**
 * How long commits and reads of running work wait while the rows and the tables of a day that is over are removed:
 * `--runs` runs of `--steps` steps of 2 KB were made on a past day; `--at-once` runs of today commit step after step, and a
 * reader opens them, first alone for `--seconds`, then beside the removal, which begins while a transaction of `--held` ms
 * has the tables of the day. `node bench/team-days.ts [--runs 5000] [--steps 10] [--at-once 8] [--seconds 10] [--held 3000]`
 * starts a PostgreSQL of its own. Prints JSON.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { openPostgresStore, pruneShared, upgradeSchema, writerOf } from '../src/bench.ts';
import { startServer } from './team/server.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '5000' },
    steps: { type: 'string', default: '10' },
    'at-once': { type: 'string', default: '8' },
    seconds: { type: 'string', default: '10' },
    held: { type: 'string', default: '3000' },
  },
});
const dayMs = 24 * 60 * 60_000;
const past = Math.floor(Date.now() / dayMs) * dayMs - 20 * dayMs;
const [runs, steps, atOnce, seconds, held] = [
  ...[values.runs, values.steps, values['at-once'], values.seconds, values.held].map(Number),
] as [number, number, number, number, number];
const text = 'x'.repeat(2_000);
const idAt = (ms: number, n: number): string =>
  `run-${(ms + 3_600_000).toString(36).padStart(9, '0')}${n.toString(36).padStart(6, '0')}`;

const server = await startServer();
const url = await server.fresh();
const client = new pg.Client({ connectionString: url, options: '-c search_path=sonde' });
await client.connect();
await upgradeSchema({ url });
const store = openPostgresStore({ url, maxConnections: atOnce });
const reader = openPostgresStore({ url, maxConnections: 1 });

/** `onStep`: how long each of its commits took, in milliseconds. */
async function make(id: string, count: number, onStep: (ms: number) => void): Promise<void> {
  await store.runs.create({ id, shape: 'research', question: 'How many?', root: '/', params: {} });
  const lease = await store.runs.acquire(id);
  const writer = writerOf(store, lease);
  writer.begin({ kind: 'run_started', shape: 'research', question: 'How many?', params: {} });
  for (let n = 0; n < count; n += 1) {
    store.journal(lease).record(`step-${n}`, text);
    writer.tell(`told-${n}`, { kind: 'note', level: 'info', text: `step ${n}` });
    const began = performance.now();
    await writer.commit();
    onStep(performance.now() - began);
  }
  writer.finish({ kind: 'note', level: 'info', text: 'over' });
  await writer.commit();
  await lease.release();
}

const measured = (all: readonly number[]) => {
  const sorted = all.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    Math.round(sorted[Math.floor(share * (sorted.length - 1))]! * 10) / 10;
  return { count: all.length, p50_ms: at(0.5), p95_ms: at(0.95), longest_ms: at(1) };
};

/** Running work, until the other work is over. */
async function beside(name: string, work: () => Promise<unknown>) {
  let over = false;
  const [commits, reads] = [[] as number[], [] as number[]];
  const made: string[] = [];
  let next = 0;
  const writing = Array.from({ length: atOnce }, async () => {
    while (!over) {
      next += 1;
      const id = `${idAt(Date.now(), 0).slice(0, -6)}${name}${next}`;
      await make(id, 10, (ms) => void commits.push(ms));
      made.push(id);
    }
  });
  const reading = (async () => {
    while (!over) {
      const began = performance.now();
      const [newest] = await reader.runs.list(1);
      await reader.events(newest!.id);
      reads.push(performance.now() - began);
      await sleep(5);
    }
  })();
  const began = performance.now();
  await work();
  const seconds = Math.round((performance.now() - began) / 10) / 100;
  over = true;
  await Promise.all([...writing, reading]);
  return { seconds, runs: made.length, commits: measured(commits), reads: measured(reads) };
}

try {
  for (const table of ['events', 'journal', 'snapshots'])
    await client.query(`ALTER TABLE ${table} DETACH PARTITION ${table}_past;
      ALTER TABLE ${table} ATTACH PARTITION ${table}_past FOR VALUES FROM (MINVALUE) TO ('run-0')`);
  await client.query('SELECT make_day($1::date)', [new Date(past).toISOString().slice(0, 10)]);
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < runs) {
        next += 1;
        await make(idAt(past, next), steps, () => {});
      }
    }),
  );
  await client.query('UPDATE runs SET created = $1, updated = $1', [past]);
  const alone = await beside('a', () => sleep(seconds * 1_000));
  const holder = new pg.Client({ connectionString: url, options: '-c search_path=sonde' });
  await holder.connect();
  await holder.query('BEGIN; SELECT 1 FROM events LIMIT 1');
  const { rows } = await client.query('SELECT count(*)::int AS n FROM events WHERE run <= $1', [
    idAt(past, runs),
  ]);
  let dropped: Awaited<ReturnType<typeof pruneShared>> | undefined;
  const removal = await beside('b', async () => {
    const releasing = sleep(held).then(() => holder.query('COMMIT'));
    dropped = await pruneShared({ url }, { olderThan: 10 * dayMs, keep: 0, remove: true });
    await releasing;
  });
  await holder.end();
  console.log(
    JSON.stringify({
      ...{ runs, steps, rows: rows[0].n },
      ...{ removed: dropped!.runs.length, days: dropped!.days.map(({ day: one }) => one) },
      ...{ alone, beside: removal },
    }),
  );
} finally {
  await store.close();
  await reader.close();
  await client.end();
  server.stop();
}
