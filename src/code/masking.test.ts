import { expect, test } from 'vitest';
import { type BlameLine, type GitHistory, masker, type TextReader, toFileText } from '../core/index.ts';
import { maskHistory, maskTexts } from './masking.ts';

const mask = masker({ key: Buffer.from('one home'), known: [] });
const password = ['n0tSo', 'Easy!9x'].join('');
const body = 'MIIEq7Rk2Zp9XvB4mTnW8cLd5sHf3gJy6aKe';
const content = `a\n-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\npassword = "${password}"\n`;
const reader: TextReader = {
  readText: async (path) =>
    path === 'a.txt'
      ? toFileText(content)
      : { kind: 'unreadable', reason: 'missing', message: 'no such file' },
};
const text = maskTexts(reader, mask);

test('a reader hides what it reads, and passes on why it could not', async () => {
  const file = await text.readText('a.txt');
  expect(JSON.stringify(file)).not.toContain(body);
  expect(JSON.stringify(file)).not.toContain(password);
  expect(await text.readText('b.txt')).toMatchObject({ kind: 'unreadable', reason: 'missing' });
});

test('of git, messages, names and lines are hidden; a line within a key by what stands around it', async () => {
  const note = { commit: 'abc', date: '', author: 'A', subject: `use password = "${password}"`, paths: [] };
  const line: BlameLine = { line: 3, commit: 'abc', date: '', author: 'A', text: body };
  const past: GitHistory = {
    log: async () => ({ items: [note], completeness: 'complete', notes: [] }),
    pickaxe: async () => ({ items: [note], completeness: 'complete', notes: [] }),
    blame: async () => ({ items: [line], completeness: 'complete', notes: [] }),
  };
  const hidden = maskHistory(past, text, mask);
  const shown = [
    await hidden.log({}),
    await hidden.pickaxe({ text: 'x' }),
    await hidden.blame({ path: 'a.txt', start: 3, end: 3 }),
  ];
  expect(JSON.stringify(shown)).not.toContain(password);
  expect(JSON.stringify(shown)).not.toContain(body);
  expect(JSON.stringify(shown).match(/\[secret:/g)).toHaveLength(3);
});

test('of what a commit changed, a line within a key is hidden where its beginning is not shown', async () => {
  const whole: TextReader = {
    readText: async (path) =>
      path.startsWith('diff:')
        ? { kind: 'text', lines: ['@@ -3 +3 @@', `-${body}`, '+other', ` password = "${password}"`] }
        : toFileText(content),
  };
  const file = await maskTexts(whole, mask).readText('diff:abcdef0:a.txt');
  expect(JSON.stringify(file)).not.toContain(body);
  expect(JSON.stringify(file)).not.toContain(password);
  expect(file).toMatchObject({
    lines: ['@@ -3 +3 @@', expect.stringMatching(/^-/), '+other', expect.stringMatching(/^ password/)],
  });
});
