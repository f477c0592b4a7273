/** Two clones of a commit, each indexed in a home of its own: the same index, byte by byte. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, readFileSync, renameSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { newHome } from '../testbed/run-sonde.ts';
import { createSmallTree } from '../testbed/small-tree.ts';
import { sonde } from '../testbed/sonde-here.ts';

const token = `ghp_${'q7Rk2Zp9XvB4mTnW8cLd5sHf3gJy6aKe1uQo'}`;

function git(folder: string, ...words: readonly string[]): void {
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', ...words], {
    cwd: folder,
    stdio: 'ignore',
  });
}

/** More files than one thread indexes, a secret, and a file that is left out. */
function repository(): string {
  const parts = Array.from({ length: 700 }, (_, n) => [
    `part${n % 9}/file${n}.ts`,
    `export const value${n} = '${'x'.repeat(n % 50)}';\n`,
  ]);
  const root = createSmallTree({
    ...Object.fromEntries(parts),
    'settings.ts': `export const token = '${token}';\n`,
    '.gitignore': 'left.txt\n',
    'picture.png': 'PNG',
  });
  git(root, 'init', '-q');
  git(root, 'add', '.');
  git(root, 'commit', '-q', '-m', 'all');
  return root;
}

/** The files are written again, the last one first, and have other times. */
function rewrite(clone: string): void {
  const found = globSync('**/*.{ts,md}', { cwd: clone }).toSorted().toReversed();
  for (const [n, path] of found.entries()) {
    const file = join(clone, path);
    copyFileSync(file, `${file}.new`);
    renameSync(`${file}.new`, file);
    utimesSync(file, 1_000_000 + n, 1_000_000 + n);
  }
}

/** The segments and the manifest, by name. */
async function indexOf(clone: string): Promise<ReadonlyMap<string, string>> {
  const home = newHome();
  expect(await sonde(['search', 'parcel', clone, '--json'], { home })).toMatchObject({ status: 0 });
  const [manifest, ...more] = globSync(`${home}/**/manifest.json`);
  expect(more).toEqual([]);
  const folder = dirname(manifest!);
  const names = globSync(['*.seg', 'manifest.json'], { cwd: folder }).toSorted();
  return new Map(names.map((name) => [name, readFileSync(join(folder, name), 'latin1')]));
}

// Issue 22, 3: "two clones of a commit give the same segments, no absolute path in a manifest".
it('gives the same segments and manifest for two clones, in two homes', async () => {
  const root = repository();
  const clones = ['one', 'another'].map((name) => join(newHome(), name));
  for (const clone of clones) git(root, 'clone', '-q', root, clone);
  rewrite(clones[1]!);
  const [one, another] = [await indexOf(clones[0]!), await indexOf(clones[1]!)];
  expect([...another.keys()]).toEqual([...one.keys()]);
  expect(one.size).toBe(3);
  for (const [name, bytes] of one) expect(another.get(name) === bytes, name).toBe(true);
  for (const clone of clones) {
    expect(one.get('manifest.json')).not.toContain(clone);
    expect(one.get('manifest.json')).not.toContain(dirname(clone));
  }
});
