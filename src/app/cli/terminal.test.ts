import { EventEmitter } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { type CurrentProcess, runInProcess } from '../current-process.ts';
import { acceptClosedPipes, hasOutputReader } from './terminal.ts';

function opened(path: string): { readonly fd: number } {
  const fd = openSync(path, 'w');
  onTestFinished(() => closeSync(fd));
  return { fd };
}

it('what goes to the null device is read by nobody', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(hasOutputReader({ stdout: opened(devNull) })).toBe(false);
  expect(hasOutputReader({ stdout: { fd: 99_999 } })).toBe(false);
  expect(hasOutputReader({ stdout: opened(join(folder, 'page.md')) })).toBe(true);
  expect(hasOutputReader({ stdout: new PassThrough() })).toBe(true);
});

it.each([
  ['EPIPE', 0, ''],
  ['ENOSPC', 1, 'sonde: The output cannot be written: ENOSPC: no space\n'],
])('a result that cannot be written, by %s, ends with %i', (code, status, said) => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const exits: unknown[] = [];
  const here = Object.assign(new EventEmitter(), {
    ...{ env: {}, stdin: new PassThrough(), stdout, stderr },
    exit(given: unknown): never {
      exits.push(given);
      throw new Error('exit');
    },
  }) as CurrentProcess;
  runInProcess(here, acceptClosedPipes);
  expect(() => stdout.emit('error', Object.assign(new Error(`${code}: no space`), { code }))).toThrow('exit');
  expect([exits, String(stderr.read() ?? '')]).toEqual([[status], said]);
});
