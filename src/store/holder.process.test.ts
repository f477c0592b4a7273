import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { checkLiveness, thisProcess } from './holder.ts';

const me = thisProcess();

describe('the holder of a lease', () => {
  it.each([
    ['this process', me, 'alive'],
    [
      'a process that took over the number of an ended one',
      { ...me, started: '1' },
      process.platform === 'linux' ? 'dead' : 'alive',
    ],
    ['a number that no process has', { ...me, pid: 2 ** 22 + 1 }, 'dead'],
    ['a process on another machine, or before the last boot', { ...me, host: 'elsewhere' }, 'unknown'],
  ] as const)('%s', (_who, holder, life) => {
    expect(checkLiveness(holder)).toBe(life);
  });

  it('is dead once it has been killed', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const holder = { ...me, pid: child.pid!, started: '' };
    expect(checkLiveness(holder)).toBe('alive');
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(checkLiveness(holder)).toBe('dead');
  });
});
