import { expect, test } from 'vitest';
import { createOccurrenceFinder } from './occurrences.ts';

const look = (wanted: string, text: string, path = 'a.md') => {
  const { matches, isNear } = createOccurrenceFinder(wanted)(path, text.split('\n'));
  return matches > 0 ? `met ${matches}` : isNear ? 'near' : 'nothing';
};

test.each<[wanted: string, text: string, found: string]>([
  ['lighthouse', 'The Lighthouse is old.\nA lighthouse.', 'met 2'],
  ['lighthouses', 'The lighthouse is old.', 'near'],
  ['lighthouse', 'A light house.', 'near'],
  ['tin', 'It continues within.', 'nothing'],
  ['TLS', 'over TLS', 'met 1'],
  ['TLS', 'mTLS is on', 'near'],
  ['TLS', 'tls: true', 'near'],
  ['IT', 'it is late', 'near'],
  ['key rotation', 'the key\nrotation', 'met 1'],
  ['key rotation', '> the key\n> rotation', 'met 1'],
  ['key rotation', 'Keys are old. The rotation of them is due.', 'near'],
  ['key rotation', 'Keys are old.', 'nothing'],
  ['TLS after 2021', 'TLS came late, in 2023', 'nothing'],
  ['drainAll', 'drain_all()', 'near'],
  ['drain_all', 'drainAll()', 'near'],
  ['a.b(c', 'x = a.b(c)', 'met 1'],
  ['rate-limit', 'the rate-limit', 'met 1'],
  ['rate-limit', 'a rate limit', 'near'],
  ['--', 'rm -- x', 'met 1'],
  ['café', 'the cafe\u0301', 'met 1'],
])('%s in %j', (wanted, text, found) => {
  expect(look(wanted, text)).toBe(found);
});

test('the path of a text is a part of what it says', () => {
  expect(look('Winch', 'nothing', 'Harbour/Winch.md')).toBe('met 1');
});
