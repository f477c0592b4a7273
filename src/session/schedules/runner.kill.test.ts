/** Two real runners over one file, killed again and again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../core/index.ts';
import { fireTopic, openDatabase, openSessionsIn } from '../../store/index.ts';
import { createScheduleRunner } from './runner.ts';

const script = fileURLToPath(new URL('./fire-worker.contract.ts', import.meta.url));
const kills = 8;

let folder: string;
let children: ChildProcess[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sonde-fires-'));
  children = [];
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

it(`fires each time once over two processes, killed ${kills} times`, async () => {
  const path = join(folder, 'workspace.db');
  const started = join(folder, 'started');
  const db = openDatabase({ path, schemas: [], busyMs: 10_000 });
  const sessions = openSessionsIn(db);
  const { schedules, queue } = sessions;
  const runner = createScheduleRunner({
    schedules,
    queue,
    clock: systemClock,
    signal: new AbortController().signal,
    deliver: async () => {},
  });
  const rest = { prompt: 'p', thread: null, missed: 'all', jitterMs: 0, limits: {}, enabled: true } as const;
  await runner.add({ id: 'often', trigger: { kind: 'interval', everyMs: 1000 }, ...rest });
  await runner.add({ id: 'event', trigger: { kind: 'event', names: ['saved'] }, ...rest });

  const begin = async () => {
    const child = spawn(process.execPath, [script, path, started], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    await once(child.stdout!, 'data');
    return child;
  };
  const killed = new Set<number>();
  let pair: ChildProcess[] = await Promise.all([begin(), begin()]);
  for (let round = 0; round < kills; round += 1) {
    for (let nth = 0; nth < 5; nth += 1)
      await runner.notify({ id: `${round}-${nth}`, name: 'saved', payload: nth });
    await sleep(100 + Math.random() * 300);
    const victim = pair[round % 2]!;
    const exit = once(victim, 'exit');
    victim.kill('SIGKILL');
    await exit;
    killed.add(victim.pid!);
    pair = pair.with(round % 2, await begin());
  }
  await runner.enable('often', false);
  const open = async () => {
    const { waiting, running } = await queue.counts(fireTopic);
    return waiting + running;
  };
  while ((await open()) > 0) await sleep(20);
  for (const child of children) child.kill('SIGKILL');

  const events = await schedules.fires('event', 1000);
  expect(events).toHaveLength(5 * kills);
  const times = await schedules.fires('often', 1000);
  expect(new Set(times.map(({ due }) => due)).size).toBe(times.length);
  expect([...events, ...times].filter(({ state }) => state !== 'done')).toEqual([]);
  // Each was started once, though a killed runner's delivery is made again.
  const marks = readdirSync(started);
  expect(marks.length).toBe(events.length + times.length);
  for (const mark of marks) expect(readFileSync(join(started, mark), 'utf8')).toBe('started\n');
  const deliveries = Map.groupBy(
    readFileSync(`${started}.delivered`, 'utf8').trimEnd().split('\n'),
    (line) => line.split(' ')[0],
  );
  expect(deliveries.size).toBe(marks.length);
  for (const [fire, lines] of deliveries) {
    const by = lines.map((line) => Number(line.split(' ')[1]));
    expect(new Set(by).size, fire).toBe(by.length);
    // Again only where the one that had it was killed.
    expect(
      by.slice(0, -1).filter((pid) => !killed.has(pid)),
      fire,
    ).toEqual([]);
  }
  sessions.close();
  db.close();
});
