/**
 * From the commit of a worker to a reader at a front: how long an event of a run takes. So many runs at once are worked on
 * by this process, each is read by one reader over HTTP at a front, which is a process of its own and knows of the runs by
 * the store alone. `node bench/team-fronts.ts [--runs 50] [--events 20] [--every-ms 250]` starts a PostgreSQL of its own.
 * Prints JSON.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openPostgresStore, writerOf } from '../src/bench.ts';
import { startServer } from './team/server.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '50' },
    events: { type: 'string', default: '20' },
    'every-ms': { type: 'string', default: '250' },
  },
});
const [runs, events, everyMs] = [values.runs, values.events, values['every-ms']].map(Number) as [
  number,
  number,
  number,
];
const server = await startServer();
const url = await server.fresh();
const home = mkdtempSync(join(tmpdir(), 'sonde-bench-fronts-'));
const sonde = join(import.meta.dirname, '../bin/sonde.mjs');
const front = spawn(process.execPath, [sonde, 'serve', '--workspace', 'main', '--port', '0'], {
  env: { ...process.env, SONDE_HOME: home, SONDE_STORE: 'postgres', SONDE_STORE_URL: url },
  stdio: ['ignore', 'pipe', 'pipe'],
});
let said = '';
for (const stream of [front.stdout, front.stderr]) stream.on('data', (chunk) => (said += chunk));
const until = async (pattern: RegExp): Promise<string> => {
  for (let n = 0; n < 600; n += 1) {
    const found = pattern.exec(said)?.[1];
    if (found !== undefined) return found;
    await sleep(50);
  }
  throw new Error(`The front did not say ${pattern}: ${said}`);
};
const store = openPostgresStore({ url, maxConnections: 8 });
const over = new AbortController();
try {
  const address = await until(/workspace at (http\S+)/);
  const token = readFileSync(await until(/The token is in (\S+)\.\n/), 'utf8').trim();
  /** When each event was durable, by run and number. */
  const durable = new Map<string, number>();
  const heard = new Map<string, number>();

  async function read(run: string): Promise<void> {
    const response = await fetch(`${address}/api/v1/runs/${run}/events`, {
      headers: { authorization: `Bearer ${token}` },
      signal: over.signal,
    });
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    let rest = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const at = performance.now();
      const parts = `${rest}${chunk}`.split('\n\n');
      rest = parts.pop()!;
      for (const part of parts) {
        const told = /told-(\d+)/.exec(part)?.[1];
        if (told !== undefined) heard.set(`${run} ${told}`, at);
      }
    }
  }

  const names = Array.from({ length: runs }, (_, n) => `run-${n}`);
  const writers = await Promise.all(
    names.map(async (id) => {
      await store.runs.create({ id, shape: 'research', question: 'How fast?', root: '/', params: {} });
      const writer = writerOf(store, await store.runs.acquire(id));
      writer.begin({ kind: 'run_started', shape: 'research', question: 'How fast?', params: {} });
      await writer.commit();
      return writer;
    }),
  );
  for (const run of names)
    read(run).catch((thrown: unknown) => {
      if (!over.signal.aborted) console.error(thrown);
    });
  await sleep(2_000);
  await Promise.all(
    writers.map(async (writer, nth) => {
      await sleep(Math.random() * everyMs);
      for (let n = 0; n < events; n += 1) {
        writer.tell(`told-${n}`, { kind: 'note', level: 'info', text: `told-${n}` });
        await writer.commit();
        durable.set(`run-${nth} ${n}`, performance.now());
        await sleep(everyMs);
      }
    }),
  );
  await sleep(2_000);
  const times = [...durable].map(([key, at]) => (heard.get(key) ?? Number.POSITIVE_INFINITY) - at);
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => Math.round(sorted[Math.floor(share * (sorted.length - 1))]!);
  console.log(
    JSON.stringify({
      ...{ runs, events: times.length, lost: times.filter((ms) => !Number.isFinite(ms)).length },
      ...{ p50_ms: at(0.5), p95_ms: at(0.95), max_ms: at(1) },
    }),
  );
} finally {
  over.abort();
  front.kill();
  await store.close().catch(() => {});
  server.stop();
  rmSync(home, { recursive: true, force: true });
}
