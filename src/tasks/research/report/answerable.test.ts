import { describe, expect, it, test } from 'vitest';
import { absentShare, findTitledNames, isEnglish, tellingWords, unanswerable } from './answerable.ts';

const evidence = (content: string) => [{ file_path: 'src/pool.ts', content }];

describe('whether a question can be answered from what was found', () => {
  const files = 200;
  it('rises with what stands nowhere, and falls with what one piece holds', () => {
    const words = (...counts: readonly number[]) =>
      ['pool', 'timeout', 'connection', 'retry'].map((word, at) => ({ word, files: counts[at] ?? 0 }));
    const together = evidence('The pool closes a connection after a timeout, and may retry.');
    const apart = evidence('The pool.');
    const low = unanswerable({ words: words(20, 8, 30, 5), files, evidence: together });
    const middle = unanswerable({ words: words(20, 8, 30, 5), files, evidence: apart });
    const high = unanswerable({ words: words(20, 0, 0, 0), files, evidence: apart });
    expect(low).toBeLessThan(0.2);
    expect(middle).toBeGreaterThan(0.5);
    expect(high).toBeGreaterThan(middle);
  });

  it('refuses a long question no sooner than a short one', () => {
    const asked = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ word: `word${'abcdefgh'[at]}`, files: 20 }));
    const half = (count: number) =>
      evidence(
        asked(count)
          .flatMap(({ word }, at) => (at % 2 === 0 ? [word] : []))
          .join(' '),
      );
    const [short, long] = [4, 8].map((n) => unanswerable({ words: asked(n), files, evidence: half(n) }));
    expect(long).toBeCloseTo(short!);
    expect(long).toBeLessThan(0.5);
  });

  it('knows the words of a topic by how common they are elsewhere', () => {
    const asked = (pool: number, isCut = false) =>
      unanswerable({
        // About as common as in any repository: `error`; hardly ever met elsewhere: `ferry`.
        words: [
          { word: 'error', files: 90, isCut },
          { word: 'ferry', files: pool },
        ],
        files,
        evidence: evidence('error'),
      });
    expect(asked(40)).toBeLessThan(0.5);
    expect(asked(1)).toBeGreaterThan(0.65);
    expect(asked(0)).toBeGreaterThan(asked(1));
    // What was counted no further is no rarer than elsewhere.
    const common = (isCut: boolean) =>
      unanswerable({ words: [{ word: 'error', files: 20, isCut }], files: 5_000, evidence: [] });
    expect(common(true)).toBeLessThan(common(false));
  });

  it('takes two words that are met for little', () => {
    const words = [
      { word: 'pool', files: 20 },
      { word: 'size', files: 40 },
    ];
    expect(unanswerable({ words, files, evidence: evidence('pool size') })).toBeLessThan(0.1);
    expect(unanswerable({ words: [], files, evidence: [] })).toBe(0);
  });
});

test('a subject that stands nowhere weighs by what its words tell, beside what the material is called', () => {
  const files = 60;
  const words = [
    { word: 'tstorage', files: 27 },
    { word: 'replicate', files: 0 },
    { word: 'data', files: 23 },
    { word: 'nodes', files: 2 },
  ];
  expect(absentShare({ words, files })).toBeGreaterThan(0.5);
  // The name of the material is not its subject, however rare it is elsewhere.
  expect(absentShare({ words: words.slice(1), files })).toBe(absentShare({ words, files }));
  expect(absentShare({ words: words.map((one) => ({ ...one, files: 3 })), files })).toBe(0);
  expect(absentShare({ words: [], files })).toBe(0);
});

test('words that only ask, and what was pasted, are no part of it', () => {
  expect(tellingWords('How is the timeout of `ConnectionPool` chosen?')).toEqual([
    'timeout',
    'connection',
    'pool',
  ]);
  // Ordinary words name no thing of a program, even where the material lacks them.
  expect(
    tellingWords('What happens when a second signal arrives while jobs that it carries are left?'),
  ).toEqual(['second', 'signal', 'jobs']);
  expect(tellingWords('Why does it stop?\n```\nzebra()\n```\n')).toEqual(['stop']);
});

test.each([
  ['How does the pool shrink?', true],
  ['pool shrink timeout', true],
  ['Wie wird die Grösse des Pools bestimmt?', false],
  ['Cómo se reduce el tamaño de la reserva?', false],
  ['Comment la taille est-elle réduite dans le pool?', false],
  ['プールはいつ縮小しますか', false],
])('the language of a question: %s', (question, expected) => {
  expect(isEnglish(question)).toBe(expected);
});

test.each([
  ['What is the Winter Leave Programme?', ['Winter Leave Programme']],
  ['Where is the Reykjavik office?', ['Reykjavik']],
  ['Who may use a Board of Trade form in Reykjavik?', ['Board of Trade', 'Reykjavik']],
  ['How does it work?', []],
  ['How are payloads encrypted with AES-256, and sent over TLS?', ['AES', 'TLS']],
  ['What does BAT_PAGER set in src/API.md?', []],
  ['Where does SessionStore call `Frobnicate Widgets`?', []],
])('names with capitals in %s', (question, names) => {
  expect(findTitledNames(question)).toEqual(names);
});
