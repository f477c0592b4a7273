/** Where a file stands in the place of a home, every command says so, in the same way. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { startInProcess } from '../testbed/sonde-here.ts';
import { directories } from './directories.ts';

const base = mkdtempSync(join(tmpdir(), 'sonde-in-the-way-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const file = join(base, 'file');
writeFileSync(file, 'a file');
const folder = join(base, 'folder');
mkdirSync(folder);
writeFileSync(join(folder, 'cache'), 'a file');
writeFileSync(join(folder, 'sonde'), 'a file');

describe('a file in the way', () => {
  test.each([
    [{ SONDE_HOME: file }, file],
    [{ SONDE_HOME: join(file, 'deep', 'er') }, join(file, 'deep', 'er')],
    [{ SONDE_HOME: folder }, join(folder, 'cache')],
    [{ HOME: file }, join(file, '.config', 'sonde')],
    [{ HOME: base, XDG_CACHE_HOME: folder }, join(folder, 'sonde')],
  ])('of %j is named', (environment, path) => {
    expect(() => directories(environment)).toThrow(`${path}: a file is where a folder is needed`);
  });

  test.runIf(process.platform === 'linux')('is where the kernel shows processes', () => {
    expect(() => directories({ SONDE_HOME: '/proc/nowhere/home' })).toThrow('/proc/nowhere/home');
  });

  test('is none where there is nothing yet', () => {
    expect(directories({ SONDE_HOME: join(base, 'new') }).data).toBe(join(base, 'new', 'data'));
  });

  test.each([
    ['ask', 'what?', base],
    ['search', 'what', base],
    ['index', base],
    ['config'],
    ['doctor'],
    ['runs'],
    ['show', 'run-1'],
    ['prune'],
    ['world', 'ls'],
    ['world', 'new', 'notes'],
    ['memory', 'ls'],
    ['token', 'ls'],
    ['alerts', 'ls'],
    ['schedule', 'ls'],
    ['mcp', base],
    ['serve', '--alerts', '--port', '0'],
  ])('ends %s %s with the same exit code', async (...args) => {
    const { status, stderr } = await startInProcess(args, { home: file, input: '' }).ended;
    expect(status).toBe(1);
    expect(stderr).toContain(`sonde: ${file}: a file is where a folder is needed`);
  });
});
