import { expect, it } from 'vitest';
import type { ClaimSource } from '../gate.ts';
import { decideNoUsers } from './about-search.ts';

const source: ClaimSource = { id: 'ev-0123456789', path: 'a.py', start: 1, end: 1, content: 'def alone():' };
const uses = 'nothing uses it: the one file that holds the word was read';
const listed = { ...source, listing: uses, unused: 'alone' };
const calls = { ...listed, listing: uses.replace('uses', 'calls') };

it.each([
  'Nothing calls `alone`.',
  'Nobody uses `alone()` anywhere in the repository.',
  'No function calls `A.alone`.',
  'No other code in this project references alone.',
  '`alone` is never called.',
  '`alone` is not used anywhere.',
  'The function `alone` has no callers.',
  'There are no callers of `alone`.',
])('a complete listing shows: %s', (claim) => {
  expect(decideNoUsers(claim, [source, listed])).toMatchObject({ verdict: 'absent' });
  expect(decideNoUsers(claim, [source])).toMatchObject({ verdict: 'unclear' });
  expect(decideNoUsers(claim.replaceAll('alone', 'other'), [listed])).toMatchObject({ verdict: 'unclear' });
});

it.each([
  'Nothing calls `alone` but the tests.',
  '`alone` is never called with a key.',
  'Nothing calls `alone`, so that it can be removed.',
  'Nothing calls `alone` in tests.',
  'Something calls `alone`.',
  '`alone` has no callers that wait for it.',
])('a listing does not settle: %s', (claim) => {
  expect(decideNoUsers(claim, [listed])).toBeNull();
});

it('a listing of calls says nothing of other uses', () => {
  expect(decideNoUsers('Nothing calls `alone`.', [calls])).toMatchObject({ verdict: 'absent' });
  expect(decideNoUsers('Nothing uses `alone`.', [calls])).toMatchObject({ verdict: 'unclear' });
});
