import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it, vi } from 'vitest';
import { type EarlyLook, type LookedAhead, startLook } from './early-look.ts';
import { readTreeState } from './lexical/tree-state.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { openTreeIndex } from './tree-index.ts';

const temporary = mkdtempSync(join(tmpdir(), 'sonde-look-'));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

/** Six folders of five files, and their index. Its stamps are trusted, as if the files were older. */
async function indexedTree(name: string): Promise<{ root: string; directory: string }> {
  const root = join(temporary, name);
  const directory = join(temporary, `${name}-index`);
  for (let folder = 0; folder < 6; folder++) {
    mkdirSync(join(root, `f${folder}`), { recursive: true });
    for (let file = 0; file < 5; file++)
      writeFileSync(join(root, `f${folder}`, `${file}.ts`), `export const name${folder}${file} = 1;\n`);
  }
  const later = Date.now() + 10_000;
  const clock = vi.spyOn(Date, 'now').mockReturnValue(later);
  const index = openTreeIndex({ root, directory });
  await index.refresh();
  index.close();
  clock.mockRestore();
  return { root, directory };
}

const start = (root: string, directory: string): EarlyLook => startLook(root, directory, { worthwhile: 1 })!;

const countOf = (directory: string, { segments, tree }: Manifest): number =>
  segments.reduce((sum, { files }) => sum + files, 0) + readTreeState(directory, tree)!.folders.length;

/** The look once it is over: `last` is the last folder in it that is as it was. */
async function ended(look: EarlyLook, manifest: Manifest, count: number, last = 0): Promise<LookedAhead> {
  const until = performance.now() + 4_000;
  let ahead: LookedAhead | null = null;
  while (performance.now() < until) {
    ahead ??= look.over(manifest, count);
    if (ahead?.isSame(last)) return ahead;
    await sleep(2);
  }
  throw new Error(ahead === null ? 'the look has not begun' : 'the look has not ended');
}

it('finds what is as the index knows it, and says nothing of the rest', async () => {
  const { root, directory } = await indexedTree('same');
  writeFileSync(join(root, 'f3', '2.ts'), 'export const other = 22;\n');
  rmSync(join(root, 'f4'), { recursive: true });
  mkdirSync(join(root, 'f4'));
  const manifest = readManifest(directory)!;
  const count = countOf(directory, manifest);
  const look = start(root, directory);
  const ahead = await ended(look, manifest, count, 1);
  const same = Array.from({ length: count }, (_, number) => ahead.isSame(number));
  // The top, f4 and its five files, and the changed file.
  expect(same.filter((each) => !each)).toHaveLength(8);
  look.close();
});

it('is of no use once the index is another', async () => {
  const { root, directory } = await indexedTree('other');
  const manifest = readManifest(directory)!;
  const count = countOf(directory, manifest);
  const look = start(root, directory);
  expect(look.over({ ...manifest, tree: 'another' }, count)).toBeNull();
  const [first] = manifest.segments;
  expect(look.over({ ...manifest, segments: [{ ...first!, dead: [0] }] }, count)).toBeNull();
  expect((await ended(look, manifest, count)).isSame(count - 1)).toBe(true);
  look.close();
});

it('a refresh finds the same changes with it', async () => {
  const { root, directory } = await indexedTree('changed');
  writeFileSync(join(root, 'f0', '0.ts'), 'export const changed = 2;\n');
  rmSync(join(root, 'f1', '1.ts'));
  writeFileSync(join(root, 'f2', 'new.ts'), 'export const fresh = 3;\n');
  // A link took the folder's place: its five files are no longer the tree's own.
  renameSync(join(root, 'f5'), join(temporary, 'moved'));
  symlinkSync(join(temporary, 'moved'), join(root, 'f5'));
  const look = start(root, directory);
  await sleep(100);
  const index = openTreeIndex({ root, directory, look });
  expect(await index.refresh()).toMatchObject({ added: 1, changed: 1, removed: 6, current: true });
  writeFileSync(join(root, 'f2', 'new.ts'), 'export const fresher = 4;\n');
  expect(await index.refresh()).toMatchObject({ added: 0, changed: 1, removed: 0 });
  index.close();
});

it('is not begun where there is no index, or where it is small', async () => {
  expect(startLook(temporary, join(temporary, 'none'))).toBeUndefined();
  const { root, directory } = await indexedTree('small');
  expect(startLook(root, directory)).toBeUndefined();
});
