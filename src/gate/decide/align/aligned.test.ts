import { describe, expect, test } from 'vitest';
import { createSource } from '../../lines/source.ts';
import { decide } from '../decide.ts';

const verdict = (claim: string, content: string, path = 'harbour.md') =>
  decide(claim, createSource([{ id: 'ev_1', path, start: 1, end: 99, content }])).verdict;

const rules = [
  'By default the tide gates are closed because nobody is on watch.',
  'If there is no ferry to load, the shift can be cancelled.',
  'The night shift opened the berths as the crane had no power.',
  'For the winter, the crane load was changed from 20 tons (default) to 35 tons.',
  'A reminder is posted in the office instead of the pier.',
].join('\n\n');
const gauges = '* An empty raft weighs 3 tons.\n* A raft with cargo weighs 85 tons.';

describe('a claim is aligned with one sentence', () => {
  test.each<[claim: string, verdict: string]>([
    ['The tide gates are closed by default.', 'shown'],
    ['The shift can be cancelled if there is no ferry to load.', 'shown'],
    // A word is left over, and of none is it known that it changes nothing.
    ['The crane load was changed from 20 tons to 35 tons.', 'unclear'],
  ])('all of it, in another order of clauses: %s', (claim, expected) => {
    expect(verdict(claim, rules)).toBe(expected);
  });

  test.each<[claim: string]>([
    ['The crane load was changed from 35 tons to 20 tons.'],
    ['The shift cannot be cancelled if there is no ferry to load.'],
    ['A reminder is posted in the pier instead of the office.'],
  ])('one thing is turned: %s', (claim) => {
    expect(verdict(claim, rules)).toBe('contradicted');
  });

  test.each<[claim: string, content: string, path?: string]>([
    ['what belongs to another clause', 'Ana keeps the ropes, Bo keeps the lamps.'],
    ['a comment that is commented out', '# ana keeps the lamps\nhost: x', 'a.yaml'],
  ])('not shown by %s', (_, content, path) => {
    expect(verdict('Ana keeps the lamps.', content, path)).not.toBe('shown');
  });

  test('a value in whose place the sentence has another', () => {
    expect(verdict('An empty raft weighs 3 tons.', gauges)).toBe('shown');
    expect(verdict('An empty raft weighs 85 tons.', gauges)).toMatch(/contradicted|not shown/);
  });

  test('a time above what the record says', () => {
    const diary = '### 08:47\n\nThe crane lifted two rafts.\n\n### 09:20\n\nThe ferry left the pier.';
    expect(verdict('At 09:20 the crane lifted two rafts.', diary)).toBe('not shown');
    expect(verdict('By 09:20 the crane lifted two rafts.', diary)).toBe('unclear');
  });
});

describe('a thing of one sort is not another', () => {
  test.each<[claim: string, content: string, path?: string]>([
    ['The gate ran out of disk.', 'The gate ran out of memory at noon.'],
    ['Put registers a POST handler.', 'func (m *Mux) Put(h Handler) { m.add(mPUT, h) }', 'mux.go'],
    ['The logs are rotated hourly.', 'The logs are rotated daily, and kept.'],
  ])('%s', (claim, content, path) => {
    expect(verdict(claim, content, path)).toMatch(/contradicted|not shown/);
  });

  test.each<[claim: string, content: string, path?: string]>([
    ['The gate does not use disk.', 'The gate uses memory.'],
    ['It converts json to yaml.', 'The input is yaml.'],
    ['It joins the strings.', 'int join(int count) { return count; }', 'join.c'],
  ])('and may be another all the same: %s', (claim, content, path) => {
    expect(verdict(claim, content, path)).not.toBe('contradicted');
  });
});

test.each<[claim: string, content: string, path: string, verdict: RegExp]>([
  [
    'The ferry broke in Ferry.pm line 253.',
    'No fuel at lib/Ferry.pm line 235.',
    'a.md',
    /not shown|contradicted/,
  ],
  ['The heap has 300 MB.', 'java -Xmx300m -jar ferry.jar', 'run.md', /unclear|shown/],
  ['The cache had 89 Mbytes.', 'TIME  HITS  CACHE_MB\n08:29  775  89', 'top.txt', /unclear|shown/],
  ['The fare went from 0.24 to 0.26.', '-fare: 0.24\n+fare: 0.25', 'fare.diff', /not shown|contradicted/],
  ['The step targets pier-prod.', 'target: pier-test', 'a.yaml', /not shown|contradicted/],
  [
    'The append-only file came in 1.1.',
    'The append-only file is older. It came in version 1.1.',
    'a.md',
    /unclear|shown/,
  ],
  [
    'Rafts are compared by name.',
    'return a.Pointer() == b.Pointer() // compare rafts',
    'raft.go',
    /unclear|contradicted/,
  ],
])('a value in its form: %s', (claim, content, path, expected) => {
  expect(verdict(claim, content, path)).toMatch(expected);
});

test('what only the question or the path says is not said by a sentence', () => {
  const asked = (content: string, question: string, path: string) =>
    decide(
      'The harbour master is Ona Reth.',
      createSource([{ id: 'ev_1', path, start: 5, end: 5, content }], question),
    ).verdict;
  expect(asked('Its master is Ona Reth.', '', 'Boats')).toBe('unclear');
  expect(asked('Its master is Ona Reth.', 'who is the harbour master?', 'Boats')).toBe('unclear');
  expect(asked('Its master is Ona Reth.', '', 'Harbour')).toBe('unclear');
});
