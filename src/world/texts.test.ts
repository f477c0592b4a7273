/** What is computed from texts and numbers alone. */
import { describe, expect, it } from 'vitest';
import { newId } from './ids.ts';
import { findPathProblem, folderOf, joinPath, toRelativePath } from './names.ts';
import { formatDiff } from './read/diff.ts';
import { computeStanding, computeWeight } from './read/standing.ts';
import { placeGap } from './rows/block-rows.ts';
import { alignBlocks } from './write/align-blocks.ts';
import { assignPlaces } from './write/places.ts';
import { isTag, readAliases, readTags } from './write/properties.ts';

describe('a diff for people', () => {
  it.each([
    [null, 'a\nb\n', '+ a\n+ b'],
    ['a\n', null, '- a'],
    ['a\n', 'a\n', '  a'],
    ['The sky is blue.\n', 'The sky is red.\n', '~ The sky is [-blue-]{+red+}.'],
    ['1\n2\n3\n4\n5\n6\nold\n', '1\n2\n3\n4\n5\n6\nnew\n', '  …\n  5\n  6\n~ [-old-]{+new+}'],
    ['a\r\nb\r\n', 'a\r\nc\r\nd\r\n', '  a\n- b\n+ c\n+ d'],
    [null, 'a\rcandidate  b\r\rc\r', '+ a\n+ candidate  b\n+ \n+ c'],
    ['a\rb\n', 'a\rc\n', '- a\n- b\n+ a\n+ c'],
  ] as const)('of %j and %j', (before, after, expected) => {
    expect(formatDiff(before, after)).toBe(expected);
  });
});

describe('blocks of a new text', () => {
  const check = (old: string, fresh: string, expected: readonly (number | null)[]) => {
    const standingBlocks = old
      .split('|')
      .map((text) => ({ text, kind: 'paragraph', fixed: text.startsWith('!') }));
    const blocks = fresh.split('|').map((text) => ({ text, kind: 'paragraph' as const }));
    expect(alignBlocks(standingBlocks, blocks)).toEqual(expected);
  };
  it.each([
    ['a|b|c', 'a|b|c', [0, 1, 2]],
    ['a|b|c', 'a|x|c', [0, null, 2]],
    ['a|b|c', 'c|a|b', [2, 0, 1]],
    ['one two three|x', 'one two four|x', [0, 1]],
    ['!one two three|x', 'one two four|x', [null, 1]],
    ['!one|x', '!one|x', [0, 1]],
    ['a', 'a |b', [0, null]],
  ] as const)('%s, then %s', check);
});

describe('places', () => {
  it.each([
    [
      [null, null],
      [placeGap, 2 * placeGap],
    ],
    [
      [placeGap, null],
      [placeGap, 2 * placeGap],
    ],
    [
      [null, placeGap],
      [0, placeGap],
    ],
    [
      [placeGap, null, 2 * placeGap],
      [placeGap, 1.5 * placeGap, 2 * placeGap],
    ],
    [
      [1, null, 2],
      [placeGap, 2 * placeGap, 3 * placeGap],
    ],
    [
      [5, 3],
      [placeGap, 2 * placeGap],
    ],
  ] as const)('of %j', (have, expected) => {
    expect(assignPlaces(have)).toEqual(expected);
  });
});

describe('names', () => {
  it('join and part', () => {
    expect(joinPath('A/B', '../C')).toBe('A/C');
    expect(joinPath('', '../C')).toBeNull();
    expect(folderOf('A/B/C')).toBe('A/B');
    for (const [folder, path, relative] of [
      ['', 'A', 'A'],
      ['A', 'A/B', 'B'],
      ['A/B', 'A/C', '../C'],
      ['A/B', 'A/B', '../B'],
      ['X/Y', 'A/B/C', '../../A/B/C'],
    ] as const) {
      expect(toRelativePath(folder, path)).toBe(relative);
      expect(joinPath(folder, relative)).toBe(path);
    }
    expect(findPathProblem('Ünïcode 日本/ok [x] #1')).toBeNull();
  });

  it('tags and aliases, in every form in which they are written', () => {
    expect(readTags({ tags: '#a, b c', tag: ['d', 2024] })).toEqual(['a', 'b', 'c', 'd', '2024']);
    expect(readTags({ tags: null })).toEqual([]);
    expect(readAliases({ aliases: ['A b', 'C'], alias: 'D, E' })).toEqual(['A b', 'C', 'D', 'E']);
    const tags = ['a', 'a/b', 'ä-1', '🎉', '2024', 'a b', '', 'a#b', 'a,b', '1/2'].filter(isTag);
    expect(tags).toEqual(['a', 'a/b', 'ä-1', '🎉']);
  });

  it('ids are unique, of one form, and in the order of time', () => {
    const ids = Array.from({ length: 5000 }, (_, index) => newId('bl', 1_700_000_000_000 + index));
    expect(new Set(ids).size).toBe(5000);
    expect(ids.every((id) => /^bl-[0-9a-z]{20}$/.test(id))).toBe(true);
    expect(ids.toSorted()).toEqual(ids);
  });
});

describe('standing', () => {
  const authored = { origin: 'Authored', lifecycle: 'Canonical' } as const;
  const made = { origin: 'AgentProduced', lifecycle: 'Candidate' } as const;
  it('is the formula that is stated', () => {
    expect(computeWeight(authored)).toBe(1);
    expect(computeWeight(made)).toBe(0.2);
    expect(computeStanding(authored, { references: 0, sources: [] })).toBe(0.75);
    expect(computeStanding(authored, { references: 1, sources: [] })).toBe(0.875);
    expect(computeStanding(made, { references: 0, sources: [] })).toBe(0.1);
    expect(computeStanding(made, { references: 0, sources: [authored] })).toBeCloseTo(0.15);
    expect(computeStanding(made, { references: 0, sources: [authored, made] })).toBeCloseTo(0.13);
  });
});
