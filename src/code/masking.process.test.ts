import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { masker } from '../core/index.ts';
import { ripgrep } from './grep/grep.ts';
import { maskGrep, maskTexts } from './masking.ts';
import { treeReader } from './tree-reader.ts';

const root = mkdtempSync(join(tmpdir(), 'sonde-masked-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const password = ['n0tSo', 'Easy!9x'].join('');
const body = 'MIIEq7Rk2Zp9XvB4mTnW8cLd5sHf3gJy6aKe';
writeFileSync(
  join(root, 'a.txt'),
  `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\npassword = "${password}" # for tests\n`,
);
const mask = masker({ key: Buffer.from('one home'), known: [] });
const grep = maskGrep(ripgrep({ root }), maskTexts(treeReader({ root }), mask), mask);
const lines = async (pattern: string, more = {}) =>
  (await grep.grep({ pattern, ...more })).matches.map(({ line, text }) => `${line} ${text}`);

test('lines are shown with marks, also a line within a key that alone says nothing', async () => {
  const all = await lines('^');
  expect(all).toHaveLength(4);
  expect(all.join('\n')).not.toContain(body);
  expect(all.join('\n')).not.toContain(password);
  expect(all[1]).toMatch(/^2 \[secret:private_key:[0-9a-f]{6}\]$/);
  expect(await lines('password')).toEqual([
    expect.stringMatching(/^4 password = "\[secret:.*\]" # for tests$/),
  ]);
});

test.each(['"n0t', '"n[a-z0-9]t', 'password = "n.*', '(?i)"N0TSO', '^MIIE', 'Easy!9x"'])(
  'no secret can be guessed by %s',
  async (pattern) => {
    const reply = await grep.grep({ pattern });
    expect(reply.matches).toEqual([]);
    expect(reply.notes.join(' ')).toContain('hidden');
  },
);
