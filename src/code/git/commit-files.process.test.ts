import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { commitFiles } from './commit-files.ts';
import { type Fixture, repositoryFixture } from './repository-fixture.ts';

let fixture: Fixture;
afterEach(() => fixture.remove());

async function filesOf(name: string): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for await (const { path, bytes } of (await commitFiles(fixture.root, name)).files())
    found[path] = bytes.toString('latin1');
  return found;
}

it('gives the files of a commit as they were, whatever stands there now', async () => {
  const bytes = Buffer.from([0, 1, 10, 255, 10]);
  fixture = repositoryFixture({ 'a.txt': 'one\n', 'dir/ä b\n.txt': 'odd', 'raw.bin': bytes, empty: '' });
  const first = fixture.commit('first');
  fixture.write('a.txt', 'two\n');
  const second = fixture.commit('second');
  expect(await filesOf(first)).toEqual({
    'a.txt': 'one\n',
    'dir/ä b\n.txt': 'odd',
    'raw.bin': bytes.toString('latin1'),
    empty: '',
  });
  expect((await filesOf(second.slice(0, 8)))['a.txt']).toBe('two\n');
  expect((await filesOf('main'))['a.txt']).toBe('two\n');
});

it('obeys no attribute and no filter, and passes links over', async () => {
  fixture = repositoryFixture({
    '.gitattributes': 'a.txt export-ignore\nb.txt export-subst filter=evil\n',
    'a.txt': 'kept',
    'b.txt': '$Format:%H$',
  });
  fixture.git('config', 'filter.evil.smudge', 'touch ../ran');
  symlinkSync('/etc/passwd', join(fixture.root, 'link'));
  const commit = fixture.commit('first');
  const { skipped: passedOver } = await commitFiles(fixture.root, commit);
  expect(passedOver).toEqual(['link']);
  expect(await filesOf(commit)).toMatchObject({ 'a.txt': 'kept', 'b.txt': '$Format:%H$' });
});

it('says what is not there', async () => {
  fixture = repositoryFixture({ a: '1' });
  fixture.commit('first');
  await expect(commitFiles(fixture.root, 'abcdef0123')).rejects.toMatchObject({ code: 'not_found' });
  await expect(commitFiles('/', 'main')).rejects.toMatchObject({ code: 'not_found' });
});
