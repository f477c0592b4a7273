import { expect, test } from 'vitest';
import { nextLink, type Page, readPages } from './pages.ts';
import { failure } from './question.ts';

const page = (cursor: number | null): Page<number, number> => {
  const at = cursor ?? 0;
  return { kind: 'page', items: [at, at + 1], next: at < 6 ? at + 2 : null };
};

test.each<[string, number, (items: readonly number[]) => boolean, object]>([
  ['to the end', 9, () => false, { items: [0, 1, 2, 3, 4, 5, 6, 7], isComplete: true }],
  ['at most so many', 2, () => false, { items: [0, 1, 2, 3], isComplete: false }],
  ['until it is enough', 9, (items) => items.length > 2, { items: [0, 1, 2, 3], isComplete: false }],
  ['enough on the last page is whole', 9, (items) => items.length > 7, { isComplete: true }],
])('%s', async (_, max, enough, expected) => {
  expect(await readPages<number, number>(max, async (cursor) => page(cursor), enough)).toMatchObject(
    expected,
  );
});

// incident.md: gather_evidence 10: what was cut is told.
test('what was read before a page failed is kept; a first page that fails is the failure', async () => {
  const broken = failure('unreachable', 'it answered 502');
  const from = (bad: number | null) =>
    readPages<number, number>(9, async (cursor) => (cursor === bad ? broken : page(cursor)));
  expect(await from(4)).toEqual({
    kind: 'pages',
    items: [0, 1, 2, 3],
    isComplete: false,
    notes: ['Only the first 4 could be read: it answered 502'],
  });
  expect(await from(null)).toEqual(broken);
});

// Headers as they stand in recordings of GitHub and in the documentation of Sentry.
test.each<[string | null, string | null]>([
  [null, null],
  [
    '<https://api.github.com/repositories/1000/issues?per_page=3&page=2>; rel="next", <https://api.github.com/repositories/1000/issues?per_page=3&page=5>; rel="last"',
    'https://api.github.com/repositories/1000/issues?per_page=3&page=2',
  ],
  ['<https://api.github.com/repositories/1000/issues?per_page=3&page=4>; rel="prev"', null],
  [
    '<https://sentry.io/api/0/x/?&cursor=0:0:1>; rel="previous"; results="false"; cursor="0:0:1", <https://sentry.io/api/0/x/?&cursor=0:100:0>; rel="next"; results="true"; cursor="0:100:0"',
    'https://sentry.io/api/0/x/?&cursor=0:100:0',
  ],
  ['<https://sentry.io/api/0/x/?&cursor=0:100:0>; rel="next"; results="false"; cursor="0:100:0"', null],
  ['nonsense', null],
])('the next page of %j', (link, expected) => {
  expect(nextLink(new Headers(link === null ? {} : { link }))?.href ?? null).toBe(expected);
});
