/**
 * A team's queue in PostgreSQL while its workers are killed: `PGURL=postgres://… node bench/team-limit.ts
 * [--jobs 500] [--limit 3] [--workers 4] [--kill-ms 1000]`, in a database of its own. Prints JSON: how many of the team's
 * jobs were at work at once at most, what was lost or done twice, and how quickly jobs are taken without a limit.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { openPostgresQueue } from '../src/bench.ts';

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '500' },
    limit: { type: 'string', default: '3' },
    workers: { type: 'string', default: '4' },
    'kill-ms': { type: 'string', default: '1000' },
    worker: { type: 'string' },
  },
});
const url = process.env['PGURL'];
if (url === undefined) throw new Error('Set PGURL to an empty database');
const topic = 'bench';
const [jobs, limit, workers, killMs] = [values.jobs, values.limit, values.workers, values['kill-ms']].map(
  Number,
) as [number, number, number, number];

async function work(slots: number): Promise<void> {
  const queue = openPostgresQueue({ url: url!, leaseMs: 5_000 });
  const db = new pg.Pool({ connectionString: url, max: 2 });
  const workOn = async (claim: Awaited<ReturnType<typeof queue.claim>>[number]): Promise<void> => {
    await sleep(Math.random() * 20);
    const settled = await queue.settle(claim, { kind: 'done' }).catch(() => null);
    if (settled !== null) await db.query('INSERT INTO bench_done VALUES ($1)', [claim.job.key]);
  };
  let atWork = 0;
  // One that asks for each process, as a worker does. It ends with who started it.
  while (process.connected) {
    const claims = atWork < slots ? await queue.claim({ topic, max: slots - atWork }) : [];
    for (const claim of claims) {
      atWork += 1;
      void workOn(claim).finally(() => {
        atWork -= 1;
      });
    }
    if (claims.length === 0) await sleep(20);
  }
  process.exit();
}

async function measure(max: number | null, kills: boolean) {
  const queue = openPostgresQueue({ url: url!, leaseMs: 5_000 });
  const db = new pg.Client({ connectionString: url, options: '-c search_path=sonde,public' });
  await db.connect();
  await db.query('CREATE TABLE IF NOT EXISTS public.bench_done (key text)');
  await db.query('TRUNCATE public.bench_done');
  await queue.setRule({ topic, team: 'a', shape: null, max, paused: false });
  const round = Math.random().toString(36).slice(2);
  await queue.enqueue(
    Array.from({ length: jobs }, (_, n) => ({ topic, key: `${round}-${n}`, team: 'a', payload: null })),
  );
  const begin = (): ChildProcess => fork(import.meta.filename, ['--worker', '8'], { stdio: 'inherit' });
  const began = performance.now();
  const running = Array.from({ length: workers }, begin);
  let [most, killed, next] = [0, 0, performance.now() + killMs];
  for (;;) {
    const { rows } = await db.query(
      `SELECT count(*) FILTER (WHERE state = 'running')::int AS running, count(*) FILTER (WHERE state = 'done')::int AS done
       FROM queue_jobs WHERE topic = $1 AND key LIKE $2`,
      [topic, `${round}-%`],
    );
    most = Math.max(most, rows[0].running);
    if (rows[0].done === jobs) break;
    if (kills && performance.now() > next) {
      const at = killed % workers;
      running[at]!.kill('SIGKILL');
      await once(running[at]!, 'exit');
      running[at] = begin();
      killed += 1;
      next = performance.now() + killMs;
    }
    await sleep(5);
  }
  const seconds = (performance.now() - began) / 1000;
  for (const child of running) {
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }
  const told = await db.query(
    'SELECT count(*)::int AS all, count(DISTINCT key)::int AS one FROM public.bench_done',
  );
  const { failed, cancelled } = await queue.counts(topic);
  await queue.close();
  await db.end();
  return {
    ...{ jobs, limit: max, workers, killed, most_at_once: most, failed, cancelled },
    twice: told.rows[0].all - told.rows[0].one,
    seconds: Number(seconds.toFixed(1)),
    per_second: Math.round(jobs / seconds),
  };
}

if (values.worker !== undefined) await work(Number(values.worker));
else
  console.log(
    JSON.stringify({ limited: await measure(limit, true), free: await measure(null, false) }, null, 2),
  );
