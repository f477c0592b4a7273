import { expect, test } from 'vitest';
import { byteMask, settingsUnder } from './mask-bytes.ts';
import { defaultSettings } from './settings.ts';

const secret = `ghp_${'q7Rk2Zp9XvB4mTnW8cLd5sHf3gJy6aKe1uQo'}`;
const recipe = { key: Buffer.from('one home'), known: [] };

/** What would be indexed of a text. */
function indexed(text: string): string {
  const bytes = Buffer.from(text);
  let room: Uint8Array = bytes;
  const length = byteMask(recipe).apply(bytes, bytes.length, (max) => {
    room = new Uint8Array(max);
    return room;
  });
  return Buffer.from(room.subarray(0, length)).toString();
}

test('secrets are hidden, and lines keep their numbers', () => {
  const text = `före\nconst token = "${secret}";\nlast\n`;
  const clean = indexed(text);
  expect(clean).not.toContain(secret);
  expect(clean.split('\n')).toHaveLength(4);
  expect(clean.split('\n')[2]).toBe('last');
  expect(indexed('const token = read(path);\n')).toBe('const token = read(path);\n');
});

test('an index that hid nothing, or under another key, is another one', () => {
  const ids = [undefined, recipe, { ...recipe, key: Buffer.from('another home') }].map((mask) =>
    JSON.stringify(settingsUnder(defaultSettings, mask)),
  );
  expect(new Set(ids).size).toBe(3);
  // Whatever keys a process was given: those that share an index have others.
  expect(JSON.stringify(settingsUnder(undefined, { ...recipe, known: ['some key'] }))).toBe(ids[1]);
});
