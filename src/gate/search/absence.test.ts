import { describe, expect, test } from 'vitest';
import { checkClaims } from '../answer/check-claims.ts';
import type { LoggedSearch } from '../gate.ts';
import { findAbsence } from './absence.ts';

describe('what is said to be nowhere', () => {
  test.each<[string, readonly string[], string | null]>([
    ['No page mentions lighthouses.', ['lighthouses'], null],
    ['None of the 204 notes refers to Kerberos.', ['Kerberos'], null],
    ['Nothing in the vault speaks of key rotation', ['key rotation'], null],
    ['There is no mention of "tidal gate" anywhere in the notes.', ['tidal gate'], null],
    ['I found no reference to `drainAll` in any of the files.', ['drainAll'], null],
    ['`drainAll` occurs nowhere.', ['drainAll'], null],
    ['TLS is not mentioned anywhere.', ['TLS'], null],
    ['However, no file contains TLS or mTLS.', ['TLS', 'mTLS'], null],
    ['No page under Harbour/Cranes mentions winches.', ['winches'], 'Harbour/Cranes'],
    ['`kerberos` was not found in `src`.', ['kerberos'], 'src'],
    ['No file mentions `config/worker.yml`.', ['config/worker.yml'], null],
  ])('%s', (said, wanted, place) => {
    expect(findAbsence(said)).toMatchObject({ wanted, place, hasMore: false });
  });

  test.each([
    'No page mentions TLS, because the harbour speaks plain radio.',
    'No page mentions TLS, and every berth is free.',
    'No page besides Harbour.md mentions TLS.',
    'No other page mentions TLS.',
  ])('and more than that: %s', (said) => {
    expect(findAbsence(said)).toMatchObject({ wanted: ['TLS'], hasMore: true, isOfAll: expect.any(Boolean) });
  });

  test.each(['The crane lifts 20 tons.', 'It holds no lock.', 'It never closes the file.'])(
    'nothing is: %s',
    (said) => {
      expect(findAbsence(said)).toBeNull();
    },
  );
});

describe('a claim of absence against the log', () => {
  const search = (pattern: string, more: Partial<LoggedSearch> = {}): LoggedSearch => ({
    ...{ id: `ev-${pattern}`, pattern, matches: 0, complete: true, scope: null },
    ...more,
  });
  const searches = [
    search('TLS', { over: '204 texts' }),
    search('mTLS', { complete: false, lacks: 'b.md could not be read' }),
    search('Redis', { matches: 3, met: 'a.md:2' }),
    search('SAML'),
  ];
  const verdict = (answer: string) => checkClaims({ answer, sources: [], log: { searches, read: [] } })[0];
  test.each<[string, string, string]>([
    ['No page mentions TLS or SAML.', 'absent', '204 texts'],
    ['No page mentions TLS or OAuth.', 'unclear', 'No search of this run was for "OAuth"'],
    ['No page mentions TLS or mTLS.', 'unclear', 'was not complete: b.md could not be read'],
    ['No page mentions TLS or Redis.', 'contradicted', 'met 3 lines: a.md:2'],
    ['No page besides a.md mentions Redis.', 'unclear', 'met 3 lines'],
    ['No page mentions both SAML and Redis.', 'unclear', 'met 3 lines'],
    ['There is no page about `Redis`.', 'unclear', 'met 3 lines'],
    ['No page mentions TLS, because all is sent in the clear.', 'unclear', 'It says more than that'],
  ])('%s', (said, expected, why) => {
    expect(verdict(said)).toMatchObject({ verdict: expected, why: expect.stringContaining(why) });
  });
});
