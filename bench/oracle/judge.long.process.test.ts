/** A judge that finds nothing finds nothing out: a miss that is put in must be seen, whoever's listing it is in. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openCodeSources, renamePlaces } from '../../src/bench.ts';
import { compilerOf } from './compilers.ts';
import { judgeIn } from './judge.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

it('names a use that a listing has left out, and nothing where it has all', async () => {
  const root = mkdtempSync(join(tmpdir(), 'sonde-seeded-'));
  ends.push(() => rmSync(root, { recursive: true, force: true }));
  const files = {
    'tsconfig.json':
      '{"compilerOptions":{"strict":true,"module":"esnext","moduleResolution":"bundler","types":[]}}',
    'a.ts': 'export function load(n: number): number { return n; }\n',
    'b.ts': "import { load } from './a';\nexport const one = load(1);\n",
    'c.ts': "import { load } from './a';\nexport const two = load(2);\n",
  };
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
  execFileSync('git', ['-C', root, 'init', '-q']);
  const judge = judgeIn(root, compilerOf('typescript', []));
  const sources = openCodeSources(root, { limitMs: 60_000 });
  ends.push(() => sources.close());
  const found = await renamePlaces(sources, 'load');
  expect(found).toMatchObject({ completeness: 'complete' });
  const whole = { ...found!, name: 'load' };
  const seeded = { ...whole, uses: whole.uses.filter(({ path }) => path !== 'c.ts') };
  expect(judge.broken([whole], 25)).toEqual([]);
  expect(judge.broken([seeded], 25)).toMatchObject([
    { symbol: 'a.ts#load', complaints: [{ path: 'c.ts', line: 1 }] },
  ]);
  expect(judge.seen([whole], 25)).toBe(1);
});
