import { expect, test } from 'vitest';
import { checkClaim } from '../gate.ts';
import { sha256 } from '../id.ts';
import type { TextReader } from '../material.ts';
import { toEvidence } from '../text/found-span.ts';
import { toFileText } from '../text/text-lines.ts';
import { masker } from './masker.ts';

const key = Buffer.from('a key of one home, 32 bytes long');
const password = ['n0tSo', 'Easy!9x'].join('');
const token = `ghp_${'q7Rk2Zp9XvB4mTnW8cLd5sHf3gJy6aKe1uQo'}`;
const mark = /\[secret:[a-z0-9_]+:[0-9a-f]{6}\]/g;
const { text: hide, system, value, file } = masker({ key, known: [] });

test('the same secret has the same mark, wherever and as whatever it stands', () => {
  const texts = [`password = "${password}"`, `postgres://app:${password}@db/shop`, `DB_PWD=${password}\n`];
  const marks = texts.map((text) => hide(text).match(mark));
  expect(marks).toEqual([marks[0], marks[0], marks[0]]);
  expect(system(`run --password ${password} now`)).toContain(marks[0]![0]);
  expect(value({ rows: [{ note: texts[0] }] }).rows[0]!.note).toBe(`password = "${marks[0]![0]}"`);
});

test('another secret, and the same under another key, have another mark', () => {
  expect(hide(`password = "${password}"`)).not.toBe(hide(`password = "${password}z"`));
  const other = masker({ key: Buffer.from('the key of another home'), known: [] });
  expect(other.text(token)).not.toBe(hide(token));
  expect(hide(token)).toMatch(/^\[secret:github:[0-9a-f]{6}\]$/);
});

test('what is masked is not masked again, by none of the ways', () => {
  const once = hide(`password = "${password}" and ${token} at https://u:${password}@h/ sk=1`);
  expect(once.match(mark)).toHaveLength(3);
  for (const again of [hide, system, value<string>]) expect(again(once)).toBe(once);
});

const body = ['MIIEq7Rk2Zp9XvB4mTnW8cLd5sHf3gJy6aKe', 'Kq7Rk2Zp9XvB4mTnW8cLd5sHf3gJy6aKe1u=='];
const source = toFileText(
  [
    'first',
    `password = "${password}"`,
    '-----BEGIN PRIVATE KEY-----',
    ...body,
    '-----END PRIVATE KEY-----',
    'last',
    '',
  ].join('\n'),
);

test('a file keeps its lines, and the hashes of what truly stands there', () => {
  const clean = file(source);
  expect(clean.lines).toHaveLength(source.lines.length);
  expect(clean.lines.join('\n')).not.toContain(password);
  for (const line of body) expect(clean.lines.join('\n')).not.toContain(line);
  expect(clean.lines[3]).toBe(clean.lines[4]);
  expect([...clean.masked!.numbers]).toEqual([2, 4, 5]);
  expect(clean.masked!.hash(1, 4)).toBe(sha256(source.lines.slice(0, 4).join('\n')));
  expect(file(toFileText('nothing\nhere\n')).masked).toBeUndefined();
});

test('evidence holds the mark and the hash of the true lines; the gate re-reads these', async () => {
  const clean = file(source);
  const span = { path: 'a.ini', start: 1, end: 3, reason: '', provenance: 'manual' } as const;
  const found = toEvidence(clean, span, { lines: 10 });
  if (typeof found === 'string') throw new Error(found);
  expect(found.content).not.toContain(password);
  expect(found.hash).toBe(sha256(source.lines.slice(0, 3).join('\n')));

  const reading = (lines: typeof source): TextReader => ({ readText: async () => file(lines) });
  const claim = { path: 'a.ini', start: 1, end: 3, hash: found.hash, quote: found.content.split('\n')[1]! };
  expect(claim.quote).toMatch(mark);
  expect(await checkClaim(claim, reading(source))).toEqual({ status: 'valid' });
  // Another secret in the same place is another text, to the hash and to the quote.
  const changed = toFileText(source.lines.join('\n').replace(password, 'k3pt!Elsewhere'));
  expect((await checkClaim(claim, reading(changed))).status).toBe('changed');
  const { hash: _, ...quoted } = claim;
  expect((await checkClaim(quoted, reading(changed))).status).toBe('quote_not_found');
  // Lines that moved are found by what truly stood there.
  const moved = toFileText(`one more\n${source.lines.join('\n')}\n`);
  expect(
    await checkClaim({ path: 'a.ini', start: 1, end: 3, hash: found.hash }, reading(moved)),
  ).toMatchObject({
    status: 'changed',
    found: { start: 2, end: 4 },
  });
});

const own = ['sk-sonde', '4711', 'AbCdEfGh', 'IjKl'].join('-');
const bytes = Buffer.from(own);
const { text: without } = masker({ key, known: [own, 'p/q+r=s&t'] });

test.each([
  ['as it is', own],
  ['in another case', own.toUpperCase()],
  ['without its last character', own.slice(0, -1)],
  ['without its first', own.slice(1)],
  ['its latter half', own.slice(own.length / 2 - 1)],
  ['reversed', [...own].reverse().join('')],
  ['in base64', bytes.toString('base64')],
  ['in base64 for addresses', Buffer.from(`?>${own}?>`).toString('base64url')],
  ['in base64, behind one character', Buffer.from(`x${own}`).toString('base64')],
  ['in base64, within a text', Buffer.from(`the key is ${own}, keep it`).toString('base64')],
  ['in hexadecimal', bytes.toString('hex')],
  ['in hexadecimal capitals', bytes.toString('hex').toUpperCase()],
  ['percent-encoded', [...bytes].map((byte) => `%${byte.toString(16)}`).join('')],
  ['reversed in base64', Buffer.from([...own].reverse().join('')).toString('base64')],
])('a key of the process %s is hidden', (_, echo) => {
  const clean = without(`before ${echo} after`);
  expect(clean).toContain('[secret:');
  for (const encoding of ['utf8', 'base64', 'base64url'] as const)
    for (let at = 0; at < 4; at++) {
      const decoded = Buffer.from(clean.slice('before '.length + at), encoding).toString('latin1');
      expect(decoded).not.toContain(own.slice(8, 18));
    }
  expect(clean.startsWith('before ') && clean.endsWith(' after')).toBe(true);
});

test('a known key with signs is hidden as an address encodes it, and ordinary words stay', () => {
  expect(without('a=p%2Fq%2Br%3Ds%26t&b')).toMatch(/^a=\[secret:[^\]]+\]&b$/);
  for (const text of ['sk-sonde is a prefix', 'AbCdEfGh', 'nothing of it', ''])
    expect(without(text)).toBe(text);
});
