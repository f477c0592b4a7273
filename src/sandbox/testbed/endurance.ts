import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Sandbox } from '../sandbox.ts';

/** The resources of this process and all its descendants at one moment. Linux only. */
export interface Footprint {
  readonly processes: number;
  readonly threads: number;
  readonly descriptors: number;
  /** MB of resident memory that no other process shares. */
  readonly memory_mb: number;
}

/** The ids of all descendants of a process. */
export function listDescendants(pid: number): number[] {
  const parents = readdirSync('/proc').flatMap((name) => {
    const text = /^\d+$/.test(name) ? readQuietly(`/proc/${name}/stat`) : '';
    const parent = Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
    return parent === pid ? [Number(name)] : [];
  });
  return parents.flatMap((child) => [child, ...listDescendants(child)]);
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process has ended since its name was read.
    return '';
  }
}

export function measureFootprint(): Footprint {
  const all = [process.pid, ...listDescendants(process.pid)];
  const field = (pid: number, file: string, name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readQuietly(`/proc/${pid}/${file}`))?.[1] ?? 0);
  const sum = (count: (pid: number) => number) => all.reduce((total, pid) => total + count(pid), 0);
  return {
    processes: all.length,
    threads: sum((pid) => field(pid, 'status', 'Threads')),
    descriptors: sum(countDescriptors),
    memory_mb: Math.round(sum((pid) => field(pid, 'smaps_rollup', 'Pss')) / 1024),
  };
}

function countDescriptors(pid: number): number {
  try {
    // Files under /proc are open because this very count reads them.
    const links = readdirSync(`/proc/${pid}/fd`).map((name) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${name}`);
      } catch {
        return '/proc';
      }
    });
    return links.filter((link) => !link.startsWith('/proc')).length;
  } catch {
    return 0;
  }
}

/** Sample cells: names, output, an error, a kill, a call. */
const cells = [
  'x = list(range(5000))',
  'print(len(x))',
  '1/0',
  'import os\nos._exit(1)',
  'call_host("echo", x=len(x))',
];

async function openAndRun(sandbox: Sandbox): Promise<() => Promise<void>> {
  const session = await sandbox.open({ operations: { echo: ({ x }) => x ?? null } });
  const states: string[] = [];
  for (const cell of cells) states.push((await session.execute(cell)).kind);
  if (states.join() !== 'ok,ok,error,killed,ok') throw new Error(`a session went ${states.join()}`);
  return () => session.close();
}

/** Sessions one after another; every tenth is large. */
export async function runSequentially(sandbox: Sandbox, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const close = await openAndRun(sandbox);
    if (i % 10 === 9) {
      const large = await sandbox.open();
      await large.execute('x = bytearray(60_000_000)');
      await large.close();
    }
    await close();
  }
}

/** Sessions all at once; the footprint while all of them are open. */
export async function runInParallel(sandbox: Sandbox, count: number): Promise<Footprint> {
  const closes = await Promise.all(Array.from({ length: count }, () => openAndRun(sandbox)));
  const during = measureFootprint();
  await Promise.all(closes.map((close) => close()));
  return during;
}
