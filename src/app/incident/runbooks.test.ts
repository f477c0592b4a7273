/** Pages of the folder, and nothing that lies outside of it. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readRunbooks } from './runbooks.ts';

let place = '';
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'sonde-runbooks-'));
  mkdirSync(join(place, 'books/pools'), { recursive: true });
  writeFileSync(join(place, 'outside.md'), 'outside');
  writeFileSync(join(place, 'books/a.md'), 'one');
  writeFileSync(join(place, 'books/pools/b.markdown'), 'two');
  writeFileSync(join(place, 'books/c.txt'), 'no page');
  writeFileSync(join(place, 'books/.hidden.md'), 'hidden');
  writeFileSync(join(place, 'books/large.md'), 'x'.repeat(300 * 1024));
  symlinkSync(join(place, 'outside.md'), join(place, 'books/link.md'));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

it('pages of Markdown, those of folders in it as well', async () => {
  expect(await readRunbooks(join(place, 'books'))).toEqual([
    { path: 'a.md', text: 'one' },
    { path: 'pools/b.markdown', text: 'two' },
  ]);
});
it('one that is not there is an error', async () => {
  await expect(readRunbooks(join(place, 'none'))).rejects.toThrow();
});
