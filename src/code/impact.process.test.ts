/** `sonde impact --diff` in a repository: what a change took away is gone from the tree, and its users are not. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { type Fixture, repositoryFixture } from './git/repository-fixture.ts';

const program = fileURLToPath(new URL('../../bin/sonde.mjs', import.meta.url));
let fixture: Fixture | undefined;
afterEach(() => fixture?.remove());

interface Found {
  readonly why: readonly string[];
  readonly changed: readonly { readonly change: string; readonly symbol: string }[];
  readonly rows: readonly {
    readonly path: string;
    readonly line: number;
    readonly kind: string;
    readonly sure: boolean;
    readonly of: string;
  }[];
}

async function impact(root: string) {
  const home = mkdtempSync(join(tmpdir(), 'sonde-impact-'));
  try {
    return await new Promise<Found>((resolve, reject) => {
      execFile(
        process.execPath,
        [program, 'impact', '--diff', 'HEAD', root, '--json'],
        { env: { PATH: process.env['PATH'] ?? '', HOME: home, SONDE_HOME: home } },
        (error, stdout, stderr) =>
          stdout === '' ? reject(error ?? new Error(stderr)) : resolve(JSON.parse(stdout)),
      );
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

test('a definition that was taken away, renamed, or lay in a file that is gone still has its users', async () => {
  fixture = repositoryFixture({
    'pkg/__init__.py': '',
    'pkg/tariff.py': 'def levy(x):\n  return x\n\ndef keep():\n  return levy(1)\n',
    'pkg/gone.py': 'class Meter:\n  def tick(self):\n    pass\n\ndef gauge():\n  return Meter()\n',
    'shop.py':
      'from pkg.tariff import levy\nfrom pkg.gone import gauge, Meter\n\ndef total(m: Meter):\n  m.tick()\n  return levy(2) + gauge()\n',
    'src/wage.ts': 'export function wage(): number { return 1; }\nexport const other = 2;\n',
    'src/desk.ts': "import { wage } from './wage.ts';\nexport const pay = () => wage() + 1;\n",
  });
  fixture.commit('Start');
  fixture.write('pkg/tariff.py', 'def keep():\n  return levy(1)\n');
  fixture.write(
    'src/wage.ts',
    'let n = 0;\n++ n;\nexport function salary(): number { return n; }\nexport const other = 2;\n',
  );
  fixture.git('rm', '-q', 'pkg/gone.py');
  const found = await impact(fixture.root);
  const changed = found.changed.map((one) => `${one.change} ${one.symbol}`);
  expect(changed).toEqual(
    expect.arrayContaining([
      'removed pkg/tariff.py#levy',
      'removed src/wage.ts#wage',
      'removed pkg/gone.py#gauge',
      'removed pkg/gone.py#Meter.tick',
    ]),
  );
  const rows = found.rows.map((row) => `${row.path}:${row.line} ${row.kind} ${row.sure} ${row.of}`);
  expect(rows).toEqual(
    expect.arrayContaining([
      'pkg/tariff.py:2 call true pkg/tariff.py#levy',
      'shop.py:1 import true pkg/tariff.py#levy',
      'shop.py:6 call true pkg/tariff.py#levy',
      'shop.py:2 import true pkg/gone.py#gauge',
      'shop.py:6 call true pkg/gone.py#gauge',
      'shop.py:5 call true pkg/gone.py#Meter.tick',
      'src/desk.ts:1 import true src/wage.ts#wage',
      'src/desk.ts:2 call true src/wage.ts#wage',
    ]),
  );
  // An added line that looks like the head of a file is none.
  expect(found.why.join('; ')).not.toMatch(/n; changed/);
});
