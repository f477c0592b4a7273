import { describe, expect, test } from 'vitest';
import { createEvidence as evidenceOf } from '../../core/index.ts';
import { markRefused } from './answer.ts';
import { type TurnMaterial, weighTurn } from './turn.ts';

const piece = (path: string, content: string) =>
  evidenceOf({
    ...{ file_path: path, start_line: 1, end_line: content.split('\n').length, content },
    ...{ reason: 'read', provenance: 'manual' },
  });
const harbour = piece(
  'Notes/Harbour.md',
  '# Harbour\nThe crane lifts 20 tons.\nThe `night_watch` begins at 22:00.',
);
const none: TurnMaterial = {
  ...{ text: '', evidence: [], results: [], runs: [], writes: [], person: ['Tell me of the harbour.'] },
  log: { searches: [], read: [] },
};
const verdicts = (text: string, more: Partial<TurnMaterial> = {}) =>
  weighTurn({ ...none, ...more, text }).claims.map(({ claim }) => claim.verdict);
const read = { evidence: [harbour] };

describe('an answer of a conversation', () => {
  test.each([
    'Hello! How can I help?',
    'Thanks. Let me know what you need.',
    'Which of the two do you mean?',
    'Sure, I can look that up. Shall I?',
    'You are welcome.',
  ])('that claims nothing has no claims, whatever the turn read: %s', (text) => {
    expect(verdicts(text, read)).toEqual([]);
    expect(verdicts(text)).toEqual([]);
  });

  test.each<[string, Partial<TurnMaterial>, string]>([
    ['The crane lifts 20 tons.', read, 'shown'],
    ['The crane lifts 35 tons.', read, 'not shown'],
    ['The `day_watch` begins at 22:00.', read, 'not shown'],
    [`The crane lifts 35 tons [${harbour.id}].`, read, 'not shown'],
    ['The crane lifts 35 tons.', {}, 'unclear'],
    ['The crane is rather strong for its age.', read, 'unclear'],
    ['You said that 7 boats are there.', { ...read, person: ['7 boats are there.'] }, 'shown'],
    ['Sure, the crane lifts 35 tons.', read, 'not shown'],
  ])('%s', (text, more, verdict) => {
    expect(verdicts(text, more)).toContain(verdict);
    expect(verdicts(text, more)).toHaveLength(1);
  });

  test('the id of a block cites it, and is no word of the claim', () => {
    const results = [
      { id: 'read_block-1', name: 'read_block', text: '[bl-0mx1id]\nAnna pays 40 euros.' },
      { id: 'read_block-2', name: 'read_block', text: '[bl-0mx2id]\nBob pays 60 euros.' },
    ];
    expect(verdicts('Anna pays 40 euros [bl-0mx1id].', { results })).toEqual(['shown']);
    expect(verdicts('Anna pays 40 euros. [bl-0mx1id]', { results })).toEqual(['shown']);
    expect(verdicts('Anna pays 60 euros [bl-0mx1id].', { results })).toEqual(['not shown']);
  });

  test('a figure that no source of the turn has is not shown, in German too', () => {
    const results = [
      { id: 'a-1', name: 'read_page', text: 'Kopien werden 7 Tage lang aufbewahrt.' },
      { id: 'a-2', name: 'read_page', text: 'Der Kran hebt 20 Tonnen.' },
    ];
    expect(verdicts('Kopien werden 30 Tage lang aufbewahrt.', { results })).toEqual(['not shown']);
    expect(verdicts('Kopien werden 7 Tage lang aufbewahrt.', { results })).toEqual(['shown']);
  });

  test('a result of a tool that gave no evidence carries what stands in it', () => {
    const results = [{ id: 'list_tags-1', name: 'list_tags', text: 'summer: 14 pages\nwinter: 3 pages' }];
    expect(verdicts('Tagged summer: 14 pages.', { results })).toEqual(['shown']);
    expect(verdicts('Tagged summer: 15 pages.', { results })).toEqual(['not shown']);
  });

  test.each<[string, boolean, string]>([
    ['I wrote `Trips/Oslo`.', true, 'shown'],
    ['I have added the page.', true, 'shown'],
    ['I updated `Trips/Bergen`.', true, 'not shown'],
    ['I created wr-0123456789ab.', true, 'not shown'],
    ['I wrote `Trips/Oslo`.', false, 'contradicted'],
    ['Done: I saved the page.', false, 'contradicted'],
  ])('what was done is held against the log of writes: %s, which was done: %s', (text, ok, verdict) => {
    const about = '{"path":"Trips/Oslo"} wr-aaaaaaaaaaaa';
    const writes = [{ id: 'wr-aaaaaaaaaaaa', name: 'create_page', ok, about }];
    expect(verdicts(text, { ...read, writes })).toEqual([verdict]);
  });

  test('what was never written is contradicted by a log without a write', () => {
    expect(verdicts('I wrote the page `Trips/Oslo`.', read)).toEqual(['contradicted']);
  });

  test.each([
    ['computed', 'computed'],
    ['unclear', 'unclear'],
    ['not shown', 'not shown'],
  ] as const)(
    'what a run came to that is said again has what became of it there: %s',
    (verdict, expected) => {
      const claim = { text: 'All pages hold 4350 kg.', verdict, evidence: [], flags: [] };
      const runs = [{ id: 'run-0123456789abcde', claims: [claim] }];
      expect(verdicts('All pages hold 4350 kg.', { runs })).toEqual([expected]);
      expect(verdicts('It says: all pages hold 4350 kg.', { runs })).toEqual([expected]);
    },
  );

  test('what a run could not carry carries nothing in other words', () => {
    const claim = { text: 'All pages hold 4350 kg.', verdict: 'not shown', evidence: [], flags: [] } as const;
    const runs = [{ id: 'run-0123456789abcde', claims: [claim] }];
    expect(verdicts('It is 4350 kg that the pages hold.', { runs, ...read })).toEqual(['not shown']);
  });

  test('that nothing mentions something is held against the searches of the turn', () => {
    const search = { id: 'grep-1', pattern: 'TLS', matches: 0, complete: true, scope: null };
    const log = { searches: [search], read: [] };
    expect(verdicts('No file mentions TLS.', { ...read, log })).toEqual(['absent']);
    expect(
      verdicts('No file mentions TLS.', {
        ...read,
        log: { ...log, searches: [{ ...search, scope: 'src' }] },
      }),
    ).toEqual(['unclear']);
  });

  test('only what is refused is marked, in place, and no notice is put before it', () => {
    const text = 'Hello! The crane lifts 20 tons. It weighs 900 tons. Anything else?';
    expect(markRefused(weighTurn({ ...none, ...read, text }))).toBe(
      'Hello! The crane lifts 20 tons. It weighs 900 tons. [unsupported] Anything else?',
    );
  });
});
