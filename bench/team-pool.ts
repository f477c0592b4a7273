/**
 * The pool of a team: $10, 100 runs of which each would take $0.70, four workers, two of them on a way that comes to a halt
 * for 3 s again and again. What was spent must be what was billed, at most the pool, and nothing may be held at the end.
 * `node bench/team-pool.ts [--usd 10] [--runs 100]` starts a PostgreSQL of its own. Prints JSON.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { openPostgresQueue, openPostgresStore } from '../src/bench.ts';
import { startServer } from './team/server.ts';
import { openWire } from './team/wire.ts';
import { topic, type WorkerTerms } from './team/worker.ts';

const { values } = parseArgs({
  options: { usd: { type: 'string', default: '10' }, runs: { type: 'string', default: '100' } },
});
const terms: WorkerTerms = { leaseMs: 2_000, resource: 'usd', share: 1, asked: 0.1, billed: 0.07 };
const program = join(import.meta.dirname, 'team/worker.ts');
const server = await startServer();
const url = await server.fresh();
const place = mkdtempSync(join(tmpdir(), 'sonde-bench-pool-'));
const bills = join(place, 'bills');
const store = openPostgresStore({ url });
const queue = openPostgresQueue({ url });
const client = new pg.Client({ connectionString: url, options: '-c search_path=sonde' });
try {
  await store.accounts.open({ id: 'team', parent: null, limits: { usd: Number(values.usd) }, reserve: {} });
  const names = Array.from({ length: Number(values.runs) }, (_, n) => `run-${n}`);
  for (const id of names)
    await store.runs.create({ id, shape: 'research', question: 'Who?', root: '/', params: {} });
  await queue.enqueue(names.map((key) => ({ topic, key, team: 'a', payload: null })));
  await client.connect();
  const wire = await openWire({ host: '127.0.0.1', port: server.port });
  const through = new URL(url);
  through.port = String(wire.port);
  const workers = [String(through), String(through), url, url].map((address) =>
    spawn(process.execPath, [program, address, bills, '4', JSON.stringify(terms)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
  let [most, halts] = [0, 0];
  const began = performance.now();
  const halting = setInterval(() => {
    wire.halts = !wire.halts;
    if (wire.halts) halts += 1;
  }, 3_000);
  for (;;) {
    const { spent, reserved } = await store.accounts.balance('team');
    most = Math.max(most, spent.usd + reserved.usd);
    const { waiting, running } = await queue.counts(topic);
    if (waiting + running === 0 || performance.now() - began > 240_000) break;
    await sleep(20);
  }
  clearInterval(halting);
  wire.halts = false;
  await sleep(1_000);
  const { done, failed, waiting, running } = await queue.counts(topic);
  const { spent, reserved } = await store.accounts.balance('team');
  const { rows } = await client.query(`SELECT
    (SELECT sum(CASE state WHEN 'settled' THEN (spent::json->>'usd')::bigint ELSE (asked::json->>'usd')::bigint END)
      FROM reservations WHERE run NOT LIKE '%.part') AS billed,
    (SELECT sum(held) FROM balances) AS held, (SELECT count(*) FROM reservations WHERE state = 'recovered') AS unknown`);
  console.log(
    JSON.stringify({
      ...{
        pool_usd: Number(values.usd),
        runs: names.length,
        done,
        refused: failed,
        left: waiting + running,
        halts,
      },
      ...{
        spent_usd: spent.usd,
        billed_usd: Number(rows[0].billed) / 1e6,
        most_usd: Math.round(most * 1e6) / 1e6,
      },
      ...{
        held_usd: reserved.usd,
        held_anywhere: Number(rows[0].held),
        counted_unknown: Number(rows[0].unknown),
      },
      ...{ asked_models: readFileSync(bills, 'utf8').trim().split('\n').length },
      seconds: Math.round((performance.now() - began) / 1_000),
    }),
  );
  for (const worker of workers) worker.kill('SIGKILL');
  wire.close();
} finally {
  await client.end().catch(() => {});
  await queue.close().catch(() => {});
  await store.close().catch(() => {});
  server.stop();
  rmSync(place, { recursive: true, force: true });
}
