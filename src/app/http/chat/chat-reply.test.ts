import { expect, it } from 'vitest';
import type { Claim } from '../../../core/index.ts';
import { findNamedLines, toAnnotations } from './chat-reply.ts';

const read = { file_path: 'src/a.ts', start_line: 10, end_line: 40 };

it.each<[string, readonly [number, number] | null]>([
  ['src/a.ts:12-14 ', [12, 14]],
  ['- `src/a.ts:12–14` says ', [12, 14]],
  ['src/a.ts:12 ', [12, 12]],
  ['src/a.ts:1-5 and src/a.ts:20-22 ', [20, 22]],
  ['src/a.ts:10-40 ', null],
  ['src/a.ts:8-14 ', null],
  ['src/a.ts:14-12 ', null],
  ['src/a.ts:12-14000 ', null],
  ['src/a.tsx:12-14 ', null],
  ['src/a.ts: it says ', null],
  ['It says so ', null],
])('of %j the lines are %j', (said, lines) => {
  expect(findNamedLines(said, read)).toEqual(lines);
});

it('each marker is held to the words before it, and no further back', () => {
  const heard: string[] = [];
  const text = 'First.\nOne [ev-aaaaaaaaaa] two [ev-bbbbbbbbbb].\n[ev-cccccccccc]';
  const claims: Claim[] = [{ text: 'First.', verdict: 'shown', evidence: ['ev-dddddddddd'], flags: [] }];
  toAnnotations(text, claims, (id, said) => {
    heard.push(`${id.slice(3, 4)}: ${said}`);
    return null;
  });
  expect(heard).toEqual(['a: One ', 'b:  two ', 'c: ', 'd: First.']);
});
