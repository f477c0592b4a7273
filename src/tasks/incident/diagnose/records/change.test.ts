import { expect, test } from 'vitest';
import { parseChange } from './change.ts';

test.each([
  ['r7', 'orders'],
  ['build 41', 'orders'],
  ['portal 24.1.3 at last', null],
])('a deploy is read whatever it is called: %s of %j', (id, service) => {
  const head = `deploy ${id} at 2026-03-05T11:40:00Z${service === null ? '' : ` of ${service}`}: it went out at 11:40`;
  expect(parseChange(`${head}\ncommits 0fc0ffee0123`)).toMatchObject({ of: 'deploy', id, service });
});

test('what has no time is no change', () => {
  expect(parseChange('deploy r7 of orders: it went out')).toBeNull();
});
