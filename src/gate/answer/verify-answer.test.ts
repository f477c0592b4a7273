import { describe, expect, test } from 'vitest';
import type { TextReader } from '../../core/index.ts';
import { type GivenAnswer, verifyAnswer } from './verify-answer.ts';

const files: Readonly<Record<string, readonly string[]>> = {
  'src/pool.py': [
    'MAX_SIZE = 20',
    '',
    'class Pool:',
    '    def take(self, key, timeout=5):',
    '        if self.full():',
    '            self.grow(MAX_SIZE)',
    '        return self.free.get(timeout=timeout)',
  ],
  'notes/limits.md': ['# Limits', '', '## Pool', '', 'It holds “twenty cafe\u0301 tables” at most.'],
};
const reader: TextReader = {
  readText: async (path) =>
    files[path] === undefined
      ? { kind: 'unreadable', reason: 'missing', message: `${path} is missing` }
      : { kind: 'text', lines: files[path] },
};
const whole = { path: 'src/pool.py', start: 1, end: 7 };
const body = { path: 'src/pool.py', start: 5, end: 7 };
const verify = (given: GivenAnswer) => verifyAnswer(given, { reader });

describe('how an answer cites', () => {
  test.each([
    ['`MAX_SIZE` is 20 [1].', [1]],
    ['`MAX_SIZE` is 20.[^1]', [1]],
    ['`MAX_SIZE` is 20 【1】.', [1]],
    ['`MAX_SIZE` is 20 [1, 2].', [1, 2]],
    ['`MAX_SIZE` is 20 [1][2].', [1, 2]],
    ['`MAX_SIZE` is 20 (src/pool.py:1-7).', [1]],
    ['`MAX_SIZE` is 20 [`src/pool.py:1`].', [1]],
    ['src/pool.py:1-7 sets `MAX_SIZE` to 20.', [1]],
    ['`MAX_SIZE` is 20.', []],
  ])('%s', async (answer, citations) => {
    const { claims } = await verify({
      answer,
      citations: [whole, { path: 'notes/limits.md', start: 5, end: 5 }],
    });
    expect(claims).toMatchObject([{ citations }]);
    expect(claims[0]!.verdict).not.toBe('not shown');
  });

  test('a number that no citation has shows nothing', async () => {
    const { claims } = await verify({ answer: '`MAX_SIZE` is 20 [4].', citations: [whole] });
    expect(claims).toMatchObject([{ verdict: 'not shown', why: 'What it cites could not be confirmed.' }]);
  });
});

test('of an answer without citations the places that it names are read', async () => {
  const answer =
    '`MAX_SIZE` is 20 (`src/pool.py:1`). `take` raises `PoolDrained` (src/pool.py#L4-L7). See src/none.py:3.';
  const { claims, citations } = await verify({ answer, citations: [] });
  expect(claims.map(({ verdict }) => verdict).slice(0, 2)).toEqual(['shown', 'not shown']);
  expect(citations.map(({ status }) => status)).toEqual(['valid', 'valid', 'missing_file']);
});

test('beside other citations the places that it names are read, too', async () => {
  const { claims, citations } = await verify({
    answer: '`MAX_SIZE` is 20 (src/pool.py:1). It holds "twenty café tables" at most [1].',
    citations: [{ path: 'notes/limits.md', start: 5, end: 5 }],
  });
  expect(claims).toMatchObject([
    { verdict: 'shown', citations: [2] },
    { verdict: 'shown', citations: [1] },
  ]);
  expect(citations.map(({ status }) => status)).toEqual(['valid', 'valid']);
});

test('the header of the definition around the lines is known', async () => {
  const answer = '`take` calls `grow` with `MAX_SIZE` [1].';
  expect(await verify({ answer, citations: [body] })).toMatchObject({
    status: 'verified',
    claims: [{ verdict: 'shown' }],
  });
  const other = '`give` calls `grow` with `MAX_SIZE` [1].';
  expect(await verify({ answer: other, citations: [body] })).toMatchObject({
    claims: [{ verdict: 'not shown' }],
  });
});

test.each([
  'holds "twenty café tables"',
  'holds “twenty cafe\u0301 tables”',
  'holds\u00A0"twenty café\u202Ftables"',
])('a quote in another spelling of Unicode is found: %s', async (quote) => {
  const cited = { path: 'notes/limits.md', start: 5, end: 5, quote };
  expect(await verify({ answer: 'It holds tables [1].', citations: [cited] })).toMatchObject({
    citations: [{ status: 'valid' }],
  });
});

test.each(['12\u201310 = 20', 'MAX_SIZE \u2212 20'])('other words are not: %s', async (quote) => {
  expect(await verify({ answer: 'It holds tables [1].', citations: [{ ...whole, quote }] })).toMatchObject({
    citations: [{ status: 'quote_not_found' }],
  });
});

test('a typographic hyphen in a quote is a hyphen', async () => {
  const text: TextReader = {
    readText: async () => ({ kind: 'text', lines: ['Payload is 16-bytes \u2013 no more'] }),
  };
  const quotes = ['Payload is 16\u2010bytes', 'Payload is 16\u2011bytes - no more'];
  const citations = quotes.map((quote) => ({ path: 'a.md', start: 1, end: 1, quote }));
  expect((await verifyAnswer({ answer: 'x [1]', citations }, { reader: text })).citations).toEqual([
    { status: 'valid' },
    { status: 'valid' },
  ]);
});

test('what became of the citations', async () => {
  const { citations, claims } = await verify({
    answer: 'It holds "twenty café tables" at most [2]. It is gone [3].',
    citations: [
      { ...whole, quote: 'e' },
      { path: 'notes/limits.md', start: 5, end: 5 },
      { path: 'src/gone.py', start: 1, end: 1 },
      { ...whole, end: 70 },
      { ...whole, quote: 'def take(self, key' },
    ],
  });
  expect(citations.map(({ status }) => status)).toEqual([
    'too_short',
    'valid',
    'missing_file',
    'out_of_range',
    'valid',
  ]);
  expect(claims.map(({ verdict }) => verdict)).toEqual([expect.not.stringMatching('not shown'), 'not shown']);
});

test('the same answer comes to the same, to the byte', async () => {
  const given = {
    answer: '`MAX_SIZE` is 20 [1]. It never shrinks [1].',
    citations: [whole],
    question: 'How large?',
  };
  expect(JSON.stringify(await verify(given))).toBe(JSON.stringify(await verify(given)));
});
