import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Family, families, folderPages, listFile, membersOf, settingsFile } from './folders.ts';

const root = join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

it.each(Object.keys(folderPages))('%s is that of the folders (else run npm run docs)', async (file) => {
  expect(read(file)).toBe(`${await folderPages[file]!()}\n`);
});

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** The project with a copy of a family in it, to change. */
function copyOf({ folder }: Family): string {
  const at = mkdtempSync(join(tmpdir(), 'sonde-folders-'));
  made.push(at);
  mkdirSync(join(at, folder), { recursive: true });
  cpSync(join(root, folder), join(at, folder), { recursive: true });
  // What the copy imports of the rest of the project is the project's own.
  for (let below = folder; below !== 'src'; below = dirname(below))
    for (const beside of readdirSync(join(root, dirname(below))))
      if (beside !== basename(below))
        symlinkSync(join(root, dirname(below), beside), join(at, dirname(below), beside));
  return at;
}

const testsIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join(folder, file));

/** Folders in which no test calls the suite. */
function withoutSuite({ folder, suite }: Family, at = root): readonly string[] {
  if (suite === undefined) return [];
  return readdirSync(join(at, folder), { withFileTypes: true })
    .filter((each) => each.isDirectory())
    .map(({ name }) => name)
    .filter((name) =>
      testsIn(join(at, folder, name)).every((file) => !readFileSync(file, 'utf8').includes(suite)),
    );
}

describe.each(Object.entries(families))('%s', (_, family) => {
  const files = async (at: string) => {
    const members = await membersOf(family, at);
    return [listFile(family, members), settingsFile(family, members)].map((text) => `${text}\n`);
  };
  const kept = [`${family.folder}/${family.list}.ts`, `${family.folder}/settings.ts`].map(read);

  it('are listed as their folders are', async () => {
    expect(await files(copyOf(family))).toEqual(kept);
  });

  it('a folder that is in no list is found, by its name and its settings', async () => {
    const at = copyOf(family);
    cpSync(join(at, family.folder, '_template'), join(at, family.folder, 'copied'), { recursive: true });
    const file = join(at, family.folder, 'copied', family.file);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('template', 'copied'));
    const [list, settings] = await files(at);
    expect(list).not.toBe(kept[0]);
    expect(settings).not.toBe(kept[1]);
    expect(list).toContain("'copied'");
    expect(settings).toContain('copied_');
    expect(settings).not.toContain('template');
  });

  it('a list that names no folder is found', async () => {
    const at = copyOf(family);
    const [first] = await membersOf(family, at);
    rmSync(join(at, family.folder, first!.name), { recursive: true });
    expect((await files(at))[0]).not.toBe(kept[0]);
  });

  it('are each held to the suite of the family, where it has one', async () => {
    expect(withoutSuite(family)).toEqual([]);
    if (!('suite' in family)) return;
    const at = copyOf(family);
    const [first] = await membersOf(family, at);
    for (const file of testsIn(join(at, family.folder, first!.name))) rmSync(file);
    expect(withoutSuite(family, at)).toEqual([first!.name]);
  });

  it('two that declare the same setting are refused', async () => {
    const [first] = await membersOf(family);
    expect(() => settingsFile(family, [first!, { ...first!, name: 'another' }])).toThrow(/both declare/);
  });
});
