import { describe, expect, test } from 'vitest';
import { findCodeSpans } from './code-spans.ts';
import { findSentenceEnds } from './sentence-ends.ts';

const pieces = (text: string): readonly string[] => {
  const ends = [...findSentenceEnds(text, findCodeSpans(text)), text.length];
  return ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end).trim()).filter((one) => one !== '');
};

describe('one sentence', () => {
  test.each([
    'With and without www. taken as one host, 12 are left.',
    'The prefix www. (and no other) was dropped.',
    'About 12 pct. of all requests fail.',
    'It waits for 3 hrs. before it stops.',
    'At max. eight workers run, min. two.',
    'The a.k.a. names and the w.r.t. clauses are left out.',
    'Acme Corp. and Acme Ltd. share one key.',
    'Es sind 3 Mio. im Jahr, bspw. aus zwei Quellen.',
    'It was changed on Feb. 12 and again on Sept. 3.',
    'The log says "The reader is gone." and ends there.',
    'It asks “Go on?” before each write.',
    'Er meldet „Fertig.“ und endet.',
    'It reads .env and a.b.c of v1.2.3, then example.org.',
  ])('%s', (text) => {
    expect(pieces(text)).toEqual([text]);
  });
});

describe('two sentences, in doubt', () => {
  test.each([
    ['It drops the prefix www.', 'The rest stays.'],
    ['it clears the cache.', 'it also writes a file.'],
    ['It runs on Acme Corp.', '`flush` writes all of it.'],
    ['It reads paths, globs etc.', 'clearCache empties the store.'],
    ['It reaches the max.', 'drop_all() is called.'],
    ['It reaches the max.', 'os.remove is called.'],
    ['It prints "done."', 'Then it stops.'],
    ['It prints "done."', 'clearCache empties the store.'],
    ['"The reader is gone."', 'it also writes a file.'],
    ['It is done in the U.S.', 'The rest is elsewhere.'],
    ['It ends (as it began.)', 'it also writes a file.'],
  ])('%s | %s', (first, second) => {
    expect(pieces(`${first} ${second}`)).toEqual([first, second]);
  });
});
