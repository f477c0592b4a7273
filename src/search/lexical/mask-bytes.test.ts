import { expect, test } from 'vitest';
import { addMaskVersion, createByteMask } from './mask-bytes.ts';
import { defaultSettings } from './settings.ts';

const secret = `ghp_${'q7Rk2Zp9XvB4mTnW8cLd5sHf3gJy6aKe1uQo'}`;
const recipe = { key: Buffer.from('one home'), known: [] };

/** What would be indexed of a text. */
function indexed(text: string, home = 'one home'): string {
  const bytes = Buffer.from(text);
  let room: Uint8Array = bytes;
  const length = createByteMask({ ...recipe, key: Buffer.from(home) }).apply(bytes, bytes.length, (max) => {
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

test('what is indexed is the same in another home', () => {
  expect(indexed(`token = "${secret}"`)).toBe(indexed(`token = "${secret}"`, 'another home'));
  expect(indexed(`token = "${secret}"`)).toMatch(/\[secret:\w+\]/);
});

test('an index that hid nothing is another one', () => {
  const ids = [undefined, recipe, { ...recipe, key: Buffer.from('another home') }].map((mask) =>
    JSON.stringify(addMaskVersion(defaultSettings, mask)),
  );
  expect(ids[1]).not.toBe(ids[0]);
  expect(ids[2]).toBe(ids[1]);
  // Whatever keys a process was given: those that share an index have others.
  expect(JSON.stringify(addMaskVersion(undefined, { ...recipe, known: ['some key'] }))).toBe(ids[1]);
});
