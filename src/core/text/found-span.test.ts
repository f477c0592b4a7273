import { expect, it } from 'vitest';
import { checkClaim } from '../gate.ts';
import type { FileText } from '../material.ts';
import { type FoundSpan, type SpanCaps, toEvidence } from './found-span.ts';

const file: FileText = { kind: 'text', lines: ['one', 'two', 'three', '', 'five five'] };
const found = (start: number, end: number): FoundSpan => ({
  path: 'a.md',
  start,
  end,
  reason: 'read',
  provenance: 'manual',
});

it.each<[string, number, number, SpanCaps, string | readonly [number, number, string]]>([
  ['a span', 2, 3, { lines: 9 }, [2, 3, 'two\nthree']],
  ['a span that ends past the text', 4, 99, { lines: 9 }, [4, 5, '\nfive five']],
  ['more lines than there may be', 1, 5, { lines: 2 }, [1, 2, 'one\ntwo']],
  ['as many characters as there may be', 1, 3, { lines: 9, characters: 13 }, [1, 3, 'one\ntwo\nthree']],
  ['one character more', 1, 3, { lines: 9, characters: 12 }, [1, 2, 'one\ntwo']],
  ['a part of a line that is too long', 5, 5, { lines: 9, characters: 8 }, [5, 5, 'five fiv']],
  ['a start past the end', 6, 7, { lines: 9 }, 'a.md has 5 lines, so 6-7 is past its end'],
  ['an end before the start', 3, 2, { lines: 9 }, 'a.md:3-2 is not a span of lines'],
  ['line 0', 0, 2, { lines: 9 }, 'a.md:0-2 is not a span of lines'],
  ['half a line', 1.5, 2, { lines: 9 }, 'a.md:1.5-2 is not a span of lines'],
])('%s', async (_, start, end, caps, expected) => {
  const made = toEvidence(file, found(start, end), caps);
  if (typeof made === 'string') return expect(made).toBe(expected);
  expect([made.start_line, made.end_line, made.content]).toEqual(expected);
  const { file_path: path, start_line, end_line, hash } = made;
  const reader = { readText: async () => file };
  expect(await checkClaim({ path, start: start_line, end: end_line, hash }, reader)).toEqual({
    status: 'valid',
  });
});
