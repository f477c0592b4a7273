import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { maskLine } from './mask-line.ts';
import { minePatterns } from './patterns.ts';

test.each([
  ['served page 12 in 3.5ms', 'served page <*> in <*>'],
  ['connect to 10.0.0.1:5432 failed', 'connect to <*>:<*> failed'],
  ['block blk_-1608999 at /a/b/12/c', 'block <*> at /a/b/<*>/c'],
  ['HTTP/1.1 p99 of v2 is 5xx', 'HTTP/<*> p99 of v2 is <*>'],
  ['id 7c1a9e4b-2d6f-48a0-b3e5-c7d9f1028364 done.', 'id <*> done.'],
  ['  many   spaces\tand tabs ', ' many spaces and tabs '],
  ['1 2 3 4', '<*>'],
  ['at 0:0:0:0:0:0:0:0:2181', 'at <*>'],
  ['took 12.', 'took <*>.'],
  ['nothing to mask', 'nothing to mask'],
  ['größe 5 µs', 'größe <*> µs'],
])('%j', (line, masked) => {
  expect(maskLine(line)).toBe(masked);
  expect(maskLine(masked)).toBe(masked);
});

const templates = (lines: readonly string[], options = {}) => {
  const miner = minePatterns(options);
  for (const line of lines) miner.add(line, null, null, null);
  return new Map(miner.patterns(null).map(({ template, count }) => [template, count]));
};
const names = ['ann', 'bob', 'cleo', 'dora', 'emil', 'fay', 'gus', 'hal', 'ida', 'jon'];

describe('patterns', () => {
  test('one word apart stay apart while they are few', () => {
    expect(templates(['request served well', 'request failed well', 'request served well'])).toEqual(
      new Map([
        ['request served well', 2],
        ['request failed well', 1],
      ]),
    );
  });

  test('a word that keeps changing is a value', () => {
    const lines = names.flatMap((name) => [`user ${name} logged in`, `user ${name} logged out`]);
    expect(templates([...lines, ...lines])).toEqual(
      new Map([
        ['user <*> logged in', 20],
        ['user <*> logged out', 20],
      ]),
    );
  });

  test('two at once, and what is in front of an equals sign stays', () => {
    const lines = names.map((name, k) => `moved owner=${name} to the host ${names[9 - k]} at once`);
    expect(templates(lines)).toEqual(new Map([['moved owner=<*> to the host <*> at once', 10]]));
  });

  test('counts, times, level and example are of the window, the calm is scaled', () => {
    const miner = minePatterns();
    for (let k = 0; k < 60; k++) miner.add(`old ${k}\n  at a stack`, k, 'a', 'INFO', true);
    miner.add('old 99', 70, 'a', 'INFO');
    miner.add('new 1', 71, 'a', 'ERROR');
    miner.add('new 2', 75, 'a', 'ERROR');
    miner.add('new 3', 73, 'b', null);
    expect(miner.lines).toBe(4);
    expect(miner.patterns(0.5).toSorted((a, b) => a.example.localeCompare(b.example))).toEqual([
      {
        template: 'new <*>',
        service: 'a',
        level: 'ERROR',
        count: 2,
        baseline: 0,
        first: 71,
        last: 75,
        example: 'new 1',
      },
      {
        template: 'new <*>',
        service: 'b',
        level: null,
        count: 1,
        baseline: 0,
        first: 73,
        last: 73,
        example: 'new 3',
      },
      {
        template: 'old <*>',
        service: 'a',
        level: 'INFO',
        count: 1,
        baseline: 30,
        first: 70,
        last: 70,
        example: 'old 99',
      },
    ]);
  });

  test('memory stays bounded, and what is given up is counted', () => {
    const miner = minePatterns({ patterns: 100, remembered: 50 });
    const word = (k: number): string =>
      k.toString(36).replace(/\d/g, (digit) => 'qwzxvkjyhb'[Number(digit)]!);
    for (let k = 0; k < 5_000; k++)
      miner.add(
        `${word(k * 7_919)} ${word(k * 104_729)} ${word(k)} ${k % 2 === 0 ? 'x y' : 'z'}`,
        k,
        null,
        null,
      );
    for (let k = 0; k < 500; k++) miner.add('the usual line', k, null, null);
    expect(miner.lines).toBe(5_500);
    const found = miner.patterns(null);
    expect(found.length).toBeLessThanOrEqual(200);
    expect(found.reduce((sum, { count }) => sum + count, 0) + miner.forgotten).toBe(5_500);
    expect(found[0]).toMatchObject({ template: 'the usual line', count: 500 });
  });
});

/** Against the templates that people gave to a real log: the same lines must stand together. */
const log = join(
  process.env['SONDE_DATA'] ?? join(import.meta.dirname, '../../../../shared/data'),
  'logs/Zookeeper_2k.log',
);
test.skipIf(!existsSync(log))('a real log of 2,000 lines becomes a page', () => {
  const miner = minePatterns();
  for (const line of readFileSync(log, 'utf8').trim().split('\n'))
    miner.add(line.slice(24), null, null, null);
  const found = miner.patterns(null);
  expect(found.length).toBeLessThan(70);
  const count = (text: string): number =>
    found.filter(({ template }) => template.includes(text)).reduce((sum, { count }) => sum + count, 0);
  // Counted with grep.
  expect(count('Interrupted while waiting for message on queue')).toBe(314);
  expect(count('Received connection request /<*>:<*>')).toBe(299);
  expect(
    found.filter(({ template }) => template.includes('Connection broken for id <*>, my id = <*>')),
  ).toHaveLength(1);
});
