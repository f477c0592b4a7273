import { expect, test } from 'vitest';
import { checkClaims } from '../../answer/check-claims.ts';

const id = 'ev-0123456789';
const line =
  '2026-09-20 16:00:23.664 UTC [100] LOG:  database system was interrupted; last known up at 16:00:15 UTC';
const verdict = (claim: string, content = line, path = 'pg.log') =>
  checkClaims({
    answer: `${claim} [${id}].`,
    sources: [{ id, path, start: 1, end: content.split('\n').length, content }],
  }).map((one) => one.verdict)[0];

test('of two times in a record each has its own event', () => {
  expect(verdict('The database system was last known up at 16:00:15')).toBe('shown');
  expect(verdict('The database system was interrupted at 16:00:23')).toBe('shown');
  expect(verdict('The database system was last known up at 16:00:23')).toBe('contradicted');
  expect(verdict('The database system was interrupted at 16:00:15')).not.toBe('shown');
});

test('the time zone is no word of what happened, and a heading denies nothing', () => {
  const outage = `On February 28th 2017 9:37AM PST, the Amazon S3 team was debugging. The system underwent outages until final resolution at 1:54PM PST.`;
  expect(verdict('S3 was back at 1:54PM PST', outage, 'notes.md')).toBe('unclear');
  expect(
    verdict('The team has no telephone number', '### Telephone Number\n\nNone available.', 'notes.md'),
  ).toBe('unclear');
});

test('commas within figures make no row of values', () => {
  const scheme = 'The scheme was sized for 10,000 MW (4,000 MW flat + 6,000 MW more) but did not help.';
  expect(verdict('The scheme was sized for 10,000 MW', scheme, 'notes.md')).toBe('unclear');
  expect(verdict('The scheme was sized for 12,000 MW', scheme, 'notes.md')).not.toBe('unclear');
});

test('what is not affected is unaffected', () => {
  const sessions = 'Sessions established before the crash were unaffected.';
  expect(verdict('Sessions established before the crash were not affected', sessions, 'notes.md')).toBe(
    'unclear',
  );
  expect(verdict('Sessions established before the crash were affected', sessions, 'notes.md')).toBe(
    'contradicted',
  );
});
