import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fixture, repositoryFixture } from '../../code/git/repository-fixture.ts';
import { openSymbolLookup, type SymbolLookup } from './symbols.ts';

let fixture: Fixture;
let desk: SymbolLookup;
const before = process.env['SONDE_HOME'];
const home = mkdtempSync(join(tmpdir(), 'sonde-symbols-'));

beforeAll(async () => {
  process.env['SONDE_HOME'] = home;
  fixture = repositoryFixture({
    'src/a.py': 'def levy():\n  pass\n',
    'made/b.py': 'from src.a import levy\nlevy()\n',
  });
  fixture.commit('Start');
  // Left out by a rule, and tracked all the same.
  fixture.write('.gitignore', 'made/\n');
  desk = await openSymbolLookup(fixture.root);
});

afterAll(async () => {
  await desk.close();
  fixture.remove();
  rmSync(home, { recursive: true, force: true });
  if (before === undefined) delete process.env['SONDE_HOME'];
  else process.env['SONDE_HOME'] = before;
});

it('a file that is tracked though a rule leaves it out is read, too', async () => {
  const found = await desk.ask('find_references', { symbol: 'levy' });
  expect(found).toMatchObject({
    kind: 'done',
    data: {
      files: { with_word: 2 },
      rows: expect.arrayContaining([expect.objectContaining({ path: 'made/b.py', line: 2 })]),
    },
  });
});

it.each([
  ['find_references', { symbol: 'levy' }],
  ['find_impact', { symbol: 'levy' }],
  ['list_tree', {}],
  ['hover', { symbol: 'levy' }],
])('%s refuses a scope in which there is nothing', async (name, args) => {
  await expect(desk.ask(name, { ...args, scope: 'nowhere/**' })).rejects.toMatchObject({
    code: 'bad_pattern',
    message: expect.stringContaining('no text file is in the scope'),
  });
});

it.each<[name: string, args: Record<string, unknown>, message: string, remedy: RegExp]>([
  ['find_references', { symbol: '' }, 'symbol is empty', /name, Class\.method or path#name/],
  ['trace_path', { from: 'levy', to: '  ' }, 'to is empty', /path#name/],
  ['find_references', { symbol: 'levy', limit: 0 }, 'limit is too small: at least 1', /help/],
  ['find_references', { symbol: 'levy', limit: 5_000 }, 'limit is too large: at most 1000', /help/],
  ['find_references', { symbol: 'x'.repeat(2_000) }, 'symbol is too long: at most 1000 characters', /help/],
])('%s with a wrong argument says in words what is wrong: %#', async (name, args, message, remedy) => {
  await expect(desk.ask(name, args)).rejects.toMatchObject({
    code: 'bad_argument',
    message,
    remedy: expect.stringMatching(remedy),
  });
});
