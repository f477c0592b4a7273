import { readdirSync, readFileSync } from 'node:fs';
import type { Subject } from './subjects.ts';

/**
 * MB that one more session takes, of memory that is shared with nobody else: the growth from `count` open sessions to
 * twice as many, so that what is compiled once for all of them is not counted. Linux only.
 */
export async function memoryPerSession(subject: Subject, count: number): Promise<number> {
  const open = async () => {
    for (let i = 0; i < count; i++) await (await subject.cold()).run('x = [i for i in range(1000)]');
    return held();
  };
  const before = await open();
  return ((await open()) - before) / count;
}

/** MB that this process and all that it started hold, each page divided by those who share it. */
function held(): number {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), parentOf(name)]),
  );
  const mine = (pid: number): boolean =>
    pid === process.pid || (pid > 1 && parents.has(pid) && mine(parents.get(pid)!));
  return [...parents.keys()].filter(mine).reduce((sum, pid) => sum + pss(pid), 0) / 1024;
}

function parentOf(pid: string): number {
  const text = readQuietly(`/proc/${pid}/stat`);
  return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1] ?? 0);
}

function pss(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readQuietly(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0);
}

/** Empty for a process that has ended meanwhile. */
function readQuietly(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
