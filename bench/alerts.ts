/**
 * How long a POST of an alert takes while 500 groups are investigated, in a server that is a process of its own:
 * npx node bench/alerts.ts [groups] [posts] [workers]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [groups = 500, posts = 1_000, workers = 16] = process.argv.slice(2).map(Number);
const token = 'a-token-for-the-bench-only';
const headers = { authorization: `Bearer ${token}` };
const place = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const home = mkdtempSync(join(tmpdir(), 'sonde-bench-alerts-'));
const args = ['serve', '--alerts', '--port', '0', '--workers', `${workers}`, '--model', 'extractive'];
const server = spawn(
  process.execPath,
  [place('../bin/sonde.mjs'), ...args, '--replay', place('../examples/incident')],
  {
    env: { PATH: process.env['PATH'] ?? '', HOME: home, SONDE_HOME: home, SONDE_ALERTS_TOKEN: token },
    stdio: ['ignore', 'pipe', 'ignore'],
  },
);

function addressOf({ stdout }: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let said = '';
    stdout?.on('data', (piece: Buffer) => {
      said += piece.toString();
      const found = /http:\S+\/alerts/.exec(said)?.[0];
      if (found !== undefined) resolve(found);
    });
  });
}

const url = await addressOf(server);
const send = async (alert: object): Promise<{ status: number; ms: number }> => {
  const began = performance.now();
  const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(alert) });
  await reply.text();
  return { status: reply.status, ms: performance.now() - began };
};
const counts = async () =>
  (await (await fetch(`${url}?state=failed`, { headers })).json()) as Record<string, number>;

await send(Array.from({ length: groups }, (_, n) => ({ alertname: `Group${n}`, service: 'tickets' })));
while ((await counts())['running'] === 0) await new Promise((done) => setTimeout(done, 20));
const before = await counts();
const taken: { status: number; ms: number }[] = [];
for (let n = 0; n < posts; n += 1)
  taken.push(await send({ alertname: `Group${n % groups}`, service: 'tickets', pod: `tickets-${n}` }));
const after = await counts();
const times = taken.map(({ ms }) => ms).sort((a, b) => a - b);
const at = (part: number): string => `${Math.round(times[Math.ceil(part * times.length) - 1]!)} ms`;
console.log(
  `${groups} groups, ${workers} at once, ${posts} posts one after another; load ${loadavg()[0]!.toFixed(1)}`,
);
console.log(`answered 202: ${taken.filter(({ status }) => status === 202).length}`);
console.log(`p50 ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)}, longest ${at(1)}`);
for (const [when, held] of [
  ['before', before],
  ['after', after],
] as const)
  console.log(
    `${when}: waiting ${held['waiting']}, running ${held['running']}, done ${held['done']}, failed ${held['failed']}`,
  );
server.kill('SIGTERM');
await new Promise((done) => server.once('exit', done));
rmSync(home, { recursive: true });
