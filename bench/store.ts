/**
 * What one small durable write costs, beside a bare append of the same bytes to a file, with and without the
 * same promise (that it is on the disk). Every round does a little of each, so that all share the machine's mood.
 * `node bench/store.ts`
 */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPool, openStore } from '../src/bench.ts';
import type { RunEvent } from '../src/index.ts';

const rounds = 15;
const writesInARound = 40;

const folder = mkdtempSync(join(tmpdir(), 'sonde-bench-'));
// A clock that moves with every look: SQLite writes nothing where a lease is renewed to the very same end.
let time = Date.now();
const clock = {
  now: () => {
    time += 1;
    return time;
  },
};
const store = openStore(join(folder, 'sonde.db'), { clock });
await store.runs.create({ id: 'run-bench', shape: 'research', question: 'How fast?', root: '/', params: {} });
const lease = await store.runs.acquire('run-bench');
const log = store.log(lease);
const journal = store.journal(lease);
const commit = (_written?: unknown) => store.commit(lease);
const root = openPool(store.ledger(lease), {
  account: 'run-bench',
  run: 'run-bench',
  fence: lease.fence,
  limits: { tokens: 1e12, calls: 1e9 },
});
const pool = root.child('research', { limits: { tokens: 1e11 } });

/** A typical event of 300 bytes. */
const event: RunEvent = {
  kind: 'action_finished',
  step: 3,
  action: 'hybrid_search',
  outcome: 'ok',
  summary: 'x'.repeat(96),
  evidence: ['ev-0123456789', 'ev-1234567890', 'ev-2345678901'],
  fresh: 3,
  completeness: 'complete',
  wall_ms: 12,
};
const bytes = Buffer.from(`${JSON.stringify(event)}\n`);
const file = openSync(join(folder, 'bare.log'), 'a');

function reserve(key: string) {
  const reply = pool.reserve(key, { tokens: 100, calls: 1 });
  if (reply.kind === 'exhausted') throw new Error('the pool of the bench is too small');
  return reply;
}

const actual = { tokens: 90, calls: 1 };

/** Name, how many transactions it is, what it does. */
const subjects: readonly (readonly [name: string, transactions: number, write: (key: string) => unknown])[] =
  [
    ['bare append', 0, () => writeSync(file, bytes)],
    [
      'bare append, synced',
      1,
      () => {
        writeSync(file, bytes);
        fdatasyncSync(file);
      },
    ],
    ['log.append', 1, (key) => commit(log.append(key, event))],
    ['journal.record', 1, (key) => commit(journal.record(key, event))],
    ['lease.renew', 1, () => lease.renew()],
    [
      'pool.reserve + settle',
      2,
      async (key) => {
        const reservation = reserve(key);
        await commit();
        reservation.settle(actual);
        await commit();
      },
    ],
    [
      'call: reserve, then record + settle + log in one',
      2,
      async (key) => {
        const reservation = reserve(`call-${key}`);
        await commit();
        store.atomic(() => {
          journal.record(`call-${key}`, event);
          reservation.settle(actual);
          log.append(`call-${key}`, event);
        });
        await commit();
      },
    ],
    ['pool.remaining (reads only)', 0, () => pool.remaining()],
  ];

/** Milliseconds a write, one of each round. */
const times = subjects.map((): number[] => []);
for (let round = -1; round < rounds; round += 1) {
  for (const [subject, [, , write]] of subjects.entries()) {
    const began = performance.now();
    for (let i = 0; i < writesInARound; i += 1) await write(`${subject}/${round}/${i}`);
    // The first round only warms up.
    if (round >= 0) times[subject]!.push((performance.now() - began) / writesInARound);
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

const medians = times.map(median);
const [bare, synced] = medians as [number, number];
const rows = subjects.map(([name, transactions], subject) => {
  const ms = medians[subject]!;
  return [
    name,
    String(transactions),
    ms.toFixed(4),
    Math.round(1000 / ms).toLocaleString('en'),
    `${(ms / bare).toFixed(1)}x`,
    `${(ms / synced).toFixed(2)}x`,
  ];
});
const table = [['what', 'commits', 'ms', 'per second', 'bare', 'bare, synced'], ...rows];
const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
const line = (row: readonly string[]) => `| ${row.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ')} |`;
console.log(line(table[0]!));
console.log(line(widths.map((width) => '-'.repeat(width))));
for (const row of table.slice(1)) console.log(line(row));

root.close();
await store.close();
closeSync(file);
const { size } = statSync(join(folder, 'sonde.db'));
console.log(`\n${rounds} rounds of ${writesInARound}; medians. Database: ${(size / 1e6).toFixed(1)} MB.`);
rmSync(folder, { recursive: true });
