/**
 * A million lines of logs to a page of patterns, through the question that an investigation asks, beside plainly
 * reading the same file and splitting it into lines: `node bench/log-patterns.ts [LINES] [LOG]`. With a log file,
 * its lines are repeated with other numbers in them; else lines are made up. The memory is the most that the
 * process held above its start.
 */

import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLogFiles } from '../src/signals.ts';

const count = Number(process.argv[2] ?? 1_000_000);
const given = process.argv[3];
const start = Date.UTC(2026, 6, 11, 12);
const spanMs = 2 * 3_600_000;
const place = mkdtempSync(join(tmpdir(), 'sonde-bench-logs-'));
let seed = 42;
const random = (below: number): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  // The low bits of such a generator take turns.
  return (seed >>> 8) % below;
};

const forms: readonly (() => string)[] = [
  () =>
    `INFO  [http-nio-${random(64)}] c.s.web.RequestLog - GET /api/items/${random(90_000)} 200 in ${random(900)}ms trace=${random(2 ** 24).toString(16)}`,
  () =>
    `INFO  [http-nio-${random(64)}] c.s.web.RequestLog - POST /api/orders 201 in ${random(900)}ms user=${random(5_000)}`,
  () =>
    `DEBUG [pool-${random(9)}] c.s.db.Connection - acquired connection 0x${random(2 ** 24).toString(16)} after ${random(50)} ms`,
  () =>
    `WARN  [cache-${random(9)}] c.s.cache.Store - miss for key item:${random(90_000)} from 10.${random(255)}.${random(255)}.7:6379`,
  () =>
    `ERROR [worker-${random(9)}] c.s.pay.Charge - charge ${random(2 ** 24)} failed: timeout after ${3_000 + random(9)} ms`,
];
const real = given === undefined ? null : readFileSync(given, 'utf8').trim().split('\n');
const lineAt = (k: number): string => {
  const time = new Date(start + Math.floor((k * spanMs) / count)).toISOString();
  if (real === null) return `${time} ${forms[Math.min(4, random(40) === 0 ? 4 : random(4))]!()}`;
  // The time that the line has is taken off; numbers of five digits and more change with every repetition.
  return `${time} ${real[k % real.length]!.replace(/^[\d:,. -]{19,23}/, '').replace(/\d{5,}/g, () => String(random(2 ** 24)))}`;
};

const plain = join(place, 'plain.log');
const json = join(place, 'json.jsonl');
for (const [path, form] of [
  [plain, (line: string) => line],
  [
    json,
    (line: string) =>
      JSON.stringify({ timestamp: line.slice(0, 24), service: 'shop', level: 'info', msg: line.slice(25) }),
  ],
] as const) {
  const file = createWriteStream(path);
  for (let k = 0; k < count; k++) if (!file.write(`${form(lineAt(k))}\n`)) await once(file, 'drain');
  file.end();
  await once(file, 'finish');
}

async function split(path: string): Promise<number> {
  let lines = 0;
  let rest = '';
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: 1 << 20 })) {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop()!;
    lines += parts.length;
  }
  return lines;
}

async function patterns(path: string): Promise<{ readonly found: number; readonly bytes: number }> {
  const signal = openLogFiles({ paths: [path], clock: { now: () => start } });
  const question = signal.questions.find(({ name }) => name === 'logs_patterns')!;
  const half = start + spanMs / 2;
  const reply = await question.ask(
    {},
    {
      window: { from: half, to: start + spanMs, baseline_from: start, derivation: 'the second half' },
      limits: { rows: 500, bytes: 8_000, timeoutMs: 600_000 },
    },
  );
  if (reply.kind === 'failure' || reply.rows.kind !== 'patterns')
    throw new Error(JSON.stringify(reply).slice(0, 300));
  return { found: reply.rows.patterns.length, bytes: Buffer.byteLength(reply.text) };
}

const rows: string[] = [];
for (const [name, path] of [
  ['plain', plain],
  ['JSON', json],
] as const) {
  const before = process.memoryUsage().rss;
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 20);
  const times: { read: number; mine: number }[] = [];
  let page = { found: 0, bytes: 0 };
  // Alternating, so that both see the same machine; the best of three of each.
  for (let round = 0; round < 3; round++) {
    const t0 = performance.now();
    if ((await split(path)) !== count) throw new Error('lines are missing');
    const t1 = performance.now();
    page = await patterns(path);
    times.push({ read: t1 - t0, mine: performance.now() - t1 });
  }
  clearInterval(watch);
  const read = Math.min(...times.map((one) => one.read));
  const mine = Math.min(...times.map((one) => one.mine));
  rows.push(
    `| ${name}, ${(statSync(path).size / 1e6).toFixed(0)} MB | ${count.toLocaleString('en')} | ${page.found} | ${page.bytes} | ${Math.round(count / mine)}k | ${Math.round(count / read)}k | ${(mine / read).toFixed(1)} | ${((most - before) / 1e6).toFixed(0)} |`,
  );
}
console.log(
  '| log | lines | patterns | bytes of the page | mined, lines/s | read and split, lines/s | times as long | MB more |',
);
console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |');
for (const row of rows) console.log(row);
rmSync(place, { recursive: true });
