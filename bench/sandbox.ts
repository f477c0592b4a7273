/**
 * The sandbox beside Pyodide in a worker and Deno with Pyodide: starts, cells, calls, memory, computing.
 *
 * `node bench/sandbox.ts [--peers DIR] [--rounds N]`
 * DIR is a folder in which `npm install --ignore-scripts pyodide deno` was run; without it only ours is measured.
 * All subjects take turns in every round, so that a busy machine hurts them alike. Times are in ms: medians with the
 * least in brackets, and for computing the least, which other programs disturb least. Statements are measured from
 * the second to the hundredth and first of a session, whose first one belongs to its start.
 */
import { execFileSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { createSandbox } from '../src/sandbox/index.ts';
import { memoryPerSession } from './sandbox-peers/memory.ts';
import { denoWithPyodide, ours, pyodideInWorker, type Subject } from './sandbox-peers/subjects.ts';

const { values: flags } = parseArgs({
  options: {
    peers: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    /** Name of a subject: prints what its memory grows by with each session, and does nothing else. */
    memory: { type: 'string' },
  },
});
const rounds = Number(flags.rounds);

const programs: Readonly<Record<string, string>> = {
  'arithmetic: fib(24)': 'def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nfib(24)',
  'arithmetic: loop of 1e6': 's = 0\nfor i in range(1000000):\n    s += i * i % 7',
  'strings: 2e5 built, sorted': 'd = {}\nfor i in range(200000):\n    d[str(i)] = i\nx = sorted(d)',
  'dictionaries: 3e5 updates': 'd = {}\nfor i in range(300000):\n    d[i % 1000] = d.get(i % 1000, 0) + i',
  'objects: 1.5e5 made, called':
    'class A:\n    def __init__(self, x): self.x = x\n    def m(self): return self.x + 1\nt = 0\nfor i in range(150000): t += A(i).m()',
  'regular expressions':
    'import re\np = re.compile(r"(a+)(b|c)*d")\nfor i in range(3000): p.search("aaabcbcbcbcbcbcx" * 5)',
  'json: 10 round trips':
    'import json\no = [{"a": i, "b": [1, 2, 3], "c": "x" * 20} for i in range(2000)]\nfor i in range(10): json.loads(json.dumps(o))',
};

const metered = 'Sonde, process';
const subjects = [
  ours(metered, { isolation: 'process' }),
  ours('Sonde, thread', { isolation: 'thread' }),
  ours('Sonde, process, unmetered', { isolation: 'process', metered: false }),
  ...(flags.peers ? [pyodideInWorker(flags.peers), denoWithPyodide(flags.peers)] : []),
].filter((subject): subject is Subject => subject !== null);
if (flags.memory !== undefined) {
  const subject = subjects.find(({ name }) => name === flags.memory)!;
  console.log(await memoryPerSession(subject, subject.name.startsWith('Sonde') ? 10 : 3));
  process.exit(0);
}
if (subjects.length < 5) console.log('skipped: peers (give --peers DIR, see the head of this file)\n');

const samples = new Map<string, Map<string, number[]>>();
function record(row: string, subject: Subject, ms: number): void {
  const columns = samples.get(row) ?? new Map<string, number[]>();
  samples.set(row, columns.set(subject.name, [...(columns.get(subject.name) ?? []), ms]));
}
async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
/** Rounds that only the compiler has something from. */
const warmUps = 3;
const least = (list: readonly number[]) => Math.min(...list);
const median = (list: readonly number[]) => list.toSorted((a, b) => a - b)[list.length >> 1]!;

const rows = {
  cold: 'start, new thread or process, first statement',
  warm: 'start, warm, first statement',
  middle: 'statement, median of the next 100',
  mean: 'statement, mean of the next 100',
  call: 'one call of the host, JSON both ways',
  memory: 'memory of an extra session, MB',
} as const;
const load = () => loadavg()[0]!.toFixed(1);
console.log(`load at the start: ${load()}`);

// The snapshot is made once for a machine; that is told apart.
const first = createSandbox();
console.log(
  `first session of a program, snapshot in the cache or not: ${(await timed(() => first.open())).toFixed(0)} ms`,
);
await first.close();

const statements = 100;
const calls = 500;
async function measureSession(subject: Subject): Promise<void> {
  const start = performance.now();
  const session = await subject.cold();
  await session.run('x = 1');
  record(rows.cold, subject, performance.now() - start);
  const each: number[] = [];
  for (let i = 0; i < statements; i++) each.push(await timed(() => session.run('x = 1')));
  record(rows.middle, subject, median(each));
  record(rows.mean, subject, each.reduce((sum, ms) => sum + ms, 0) / statements);
  const asking = await timed(() => session.run(`for i in range(${calls}): call_host("echo", x="abc")`));
  record(rows.call, subject, asking / calls);
  await session.close();
  if (!subject.warm) return;
  await (await subject.warm()).close();
  const again = performance.now();
  const warm = await subject.warm();
  await warm.run('x = 1');
  record(rows.warm, subject, performance.now() - again);
  await warm.close();
}

for (const subject of subjects) await (await subject.cold()).close();
/** In another order each round: the first after a subject that takes seconds finds the machine gone to sleep. */
const shuffled = (round: number) =>
  subjects
    .map((subject, i) => ({ subject, place: Math.sin(1 + round * subjects.length + i) * 1e4 }))
    .map(({ subject, place }) => ({ subject, place: place - Math.floor(place) }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ subject }) => subject);
for (let round = 0; round < rounds; round++) {
  for (const subject of shuffled(round)) {
    // The peers take seconds to start.
    const times = subject.name.startsWith('Sonde') ? 3 : 1;
    for (let i = 0; i < times; i++) await measureSession(subject);
  }
}

for (const [name, code] of Object.entries(programs)) {
  const sessions = await Promise.all(subjects.map((subject) => subject.cold()));
  for (let round = -warmUps; round < rounds * 2; round++) {
    for (const [i, session] of sessions.entries()) {
      const ms = await timed(() => session.run(code));
      if (round >= 0) record(name, subjects[i]!, ms);
    }
  }
  for (const session of sessions) await session.close();
}

/** In a process of its own: what other sessions have left behind would be taken for free. */
if (process.platform === 'linux') {
  for (const subject of subjects) {
    const args = [
      import.meta.filename,
      '--memory',
      subject.name,
      ...(flags.peers ? ['--peers', flags.peers] : []),
    ];
    record(rows.memory, subject, Number(execFileSync(process.execPath, args, { encoding: 'utf8' })));
  }
}
for (const subject of subjects) await subject.close();

console.log(
  `\n| | ${subjects.map(({ name }) => name).join(' | ')} |\n|---|${subjects.map(() => '---|').join('')}`,
);
const digits = (value: number) => (value < 10 ? value.toFixed(3) : value.toFixed(1));
const shown = (row: string, list: readonly number[]) => {
  if (row in programs || list.length < 2) return digits(least(list));
  return `${digits(median(list))} (${digits(least(list))})`;
};
for (const [row, columns] of samples) {
  const cells = subjects.map(({ name }) => (columns.has(name) ? shown(row, columns.get(name)!) : '-'));
  console.log(`| ${row} | ${cells.join(' | ')} |`);
}
const peer = 'Pyodide in a worker';
if (subjects.some(({ name }) => name === peer)) {
  const ratios = Object.keys(programs).map((row) => {
    const columns = samples.get(row)!;
    return least(columns.get(peer)!) / least(columns.get(metered)!);
  });
  console.log(
    `\nspeed of computing, metered, as a multiple of Pyodide's: ${ratios.map((r) => r.toFixed(2)).join(', ')}`,
  );
  const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
  console.log(`geometric mean ${mean.toFixed(2)}, least ${Math.min(...ratios).toFixed(2)}`);
  const peers = subjects.filter(({ name }) => !name.startsWith('Sonde'));
  const behind = Object.values(rows).filter((row) => {
    const columns = samples.get(row);
    const mine = columns?.get(metered);
    return (
      columns && mine && peers.some(({ name }) => median(columns.get(name) ?? [Infinity]) < median(mine))
    );
  });
  console.log(`behind a peer, by the median, in all but computing: ${behind.join('; ') || 'nothing'}`);
}

console.log('\n| what only ours has | ms | KB stored |\n|---|---|---|');
const sandbox = createSandbox({ isolation: 'thread', limits: { fuel: 1e10 } });
for (const [name, code] of [
  ['a fresh session', 'x = 1'],
  ['with a dict of 100,000', 'd = {str(i): i for i in range(100000)}'],
] as const) {
  const session = await sandbox.open({ seed: 'bench' });
  await session.execute(code);
  const saves: number[] = [];
  const restores: number[] = [];
  const rollbacks: number[] = [];
  let size = 0;
  for (let i = 0; i < rounds * 2; i++) {
    saves.push(
      await timed(async () => {
        size = (await session.checkpoint()).length;
      }),
    );
    const saved = await session.checkpoint();
    const start = performance.now();
    const restored = await sandbox.restore(saved);
    await restored.execute('1');
    restores.push(performance.now() - start);
    await restored.close();
    rollbacks.push(await timed(() => session.execute('import os\nos._exit(0)')));
  }
  console.log(`| checkpoint, ${name} | ${median(saves).toFixed(1)} | ${(size / 1024).toFixed(0)} |`);
  console.log(`| restore and a first statement, ${name} | ${median(restores).toFixed(1)} | |`);
  console.log(`| a killed cell and its rollback, ${name} | ${median(rollbacks).toFixed(1)} | |`);
  await session.close();
}
await sandbox.close();
console.log(`\nload at the end: ${load()}`);
