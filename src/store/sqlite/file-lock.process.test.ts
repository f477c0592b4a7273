import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openFileLock } from './file-lock.ts';

const directory = mkdtempSync(join(tmpdir(), 'sonde-lock-'));
afterAll(() => rmSync(directory, { recursive: true }));

test('one holder at a time, also within a process', () => {
  const path = join(directory, 'a.db');
  const [one, two] = [openFileLock(path), openFileLock(path)];
  expect([one.tryTake(), two.tryTake()]).toEqual([true, false]);
  one.release();
  expect(two.tryTake()).toBe(true);
  two.release();
});

test('a killed process holds nothing', async () => {
  const path = join(directory, 'b.db');
  const script = `
    import { openFileLock } from ${JSON.stringify(new URL('./file-lock.ts', import.meta.url).href)};
    const lock = openFileLock(${JSON.stringify(path)});
    const taken = lock.tryTake();
    // Nothing asks for the lock from here on. A timer, since a garbage collection keeps what the stack still holds.
    setTimeout(() => {
      gc();
      console.log(taken);
    });
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lock = openFileLock(path);
  try {
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    expect(said.toString().trim()).toBe('true');
    expect(lock.tryTake()).toBe(false);
  } finally {
    child.kill('SIGKILL');
  }
  await once(child, 'exit');
  expect(lock.tryTake()).toBe(true);
  lock.release();
});

test.each([
  ['nothing', ''],
  ['a text', 'no database\n'.repeat(20)],
  ['a torn header', 'SQLite format 3\0torn'.padEnd(4096, '\u0001')],
])('a file of %s is a lock like any other', (name, content) => {
  const path = join(directory, `${name}.db`);
  writeFileSync(path, content);
  const [one, two] = [openFileLock(path), openFileLock(path)];
  expect([one.tryTake(), two.tryTake()]).toEqual([true, false]);
  one.release();
  expect(two.tryTake()).toBe(true);
  two.release();
});
