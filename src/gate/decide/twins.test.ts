/** True claims beside the same with one thing made wrong: what carries the one must not carry the other. */
import { describe, expect, it, test } from 'vitest';
import { splitClaims } from '../claim/split-claims.ts';
import type { Source } from '../lines/source.ts';
import { decide } from './decide.ts';
import { held, linesOf, refused, shown } from './testbed/claim-cases.contract.ts';

type Twin = readonly [claim: string, source: Source, verdicts: readonly string[]];

const open = ['unclear', 'contradicted', 'not shown'];

const check = (name: string, twins: readonly Twin[]): unknown =>
  describe(name, () => {
    test.each(twins)('%s', (claim, source, verdicts) => {
      expect(verdicts).toContain(decide(claim, source).verdict);
    });
  });

const gates = linesOf(
  'harbour/gates.log',
  '2031-03-02 06:10:01 gate-17 opened for ship-4410 at berth 12',
  '2031-03-02 06:14:40 gate-22 opened for ship-5127 at berth 9',
  '2031-03-02 06:20:02 gate-17 closed after ship-4410',
);
const diary = linesOf(
  'diary.md',
  'The lamp was bought in March 2031. On 2031-03-05 the mast broke.',
  'By March 9, 4:15 PM the crew had repaired the mast.',
);
check('dates', [
  ['The lamp was bought in March 2031', diary, held],
  ['The lamp was bought in April 2031', diary, refused],
  ['The crew had repaired the mast by March 9, 4:15 PM', diary, held],
  ['The crew had repaired the mast by March 9, 5:15 PM', diary, refused],
  // A month is no more exact than the day that the lines have.
  ['The mast broke in March 2031', diary, held],
]);

const berths = linesOf(
  'src/berths.ts',
  'if (berthConfig.mooring != null) {',
  `  console.error(\`  mooring: \${JSON.stringify(berthConfig.mooring)},\`);`,
  '}',
);
check('a claim without names needs the words, and not only signs that may stand for them', [
  ['The settings are still merged into the defaults.', berths, open],
  ['`mooring` is told with its value merged into a text.', berths, held],
]);

const limits = linesOf('limits.conf', 'wait = 3m', 'page_bytes = 67108864', 'fans = 3M');
check('units', [
  ['`wait` is three minutes', limits, held],
  ['`wait` is 3 hours', limits, refused],
  ['`fans` is three million', limits, held],
  ['`page_bytes` is 64 MiB', limits, held],
  ['`page_bytes` is 32 MiB', limits, refused],
]);

const call = linesOf(
  'call.md',
  '- 10:00 The report came in.',
  '- 12:02 The report was closed.',
  'The report was open for 2 hours and 2 minutes.',
);
check('the last of two units counts', [
  ['The report was open for 2 hours and 2 minutes', call, held],
  ['The report was open for 2 hours and 2 seconds', call, refused],
]);

const hosts = linesOf('hosts.log', '2031-01-01 00:00:01 relay listens on 10.1.2.3:8070');
check('an address at the end of a sentence has its port', [
  ['The relay listens on 10.1.2.3:8070.', hosts, held],
  ['The relay listens on 10.1.2.3:8071.', hosts, refused],
]);

check('records that have another combination', [
  ['gate-17 opened for ship-4410 at berth 12', gates, shown],
  ['gate-17 opened for ship-5127', gates, refused],
  ['gate-17 opened for ship-4410 at berth 9', gates, refused],
  ['gate-22 opened at 06:10:01', gates, refused],
  ['gate-22 opened at 06:14:40', gates, held],
  // Of two records each has its own.
  ['ship-4410 came before ship-5127', gates, held],
]);

const mill = linesOf(
  'mill.md',
  'The Hollander turns the upper stone. The flaw sits in the `axle_pin` of the old wheel. The `brake_shoe` was painted green.',
  'Grain waits for flour in the Northern Barn.',
);
check('a name that the lines give to something else', [
  ['The flaw of the wheel sits in the `axle_pin`', mill, held],
  ['The flaw of the wheel sits in the `brake_shoe`', mill, refused],
]);

const crew = linesOf(
  'crew.md',
  'The pilot relieves the captain at noon. The anchor chain was blocked by the old winch.',
  'Boxes stay dry for 3 days; barrels stay dry for 40 days.',
);
check('who does it to whom', [
  ['The pilot relieves the captain at noon', crew, shown],
  ['The captain relieves the pilot at noon', crew, open],
  ['The anchor chain was blocked by the old winch', crew, shown],
  ['The old winch was blocked by the anchor chain', crew, open],
  ['Boxes stay dry for 3 days, barrels for 40 days', crew, held],
  ['Boxes stay dry for 40 days, barrels for 3 days', crew, open],
]);

const winch = linesOf('winch.md', 'This rope hauled the small boats.');
check('in the passive who does it comes last', [
  ['The small boats were hauled by this rope', winch, held],
  ['This rope was hauled by the small boats', winch, open],
]);

const tank = linesOf(
  'tank.c',
  '/* If TANK_RAW is used, the water is left unfiltered;',
  ' * if TANK_OLD is used, it starts with clear water. */',
  'int fill(int flags);',
  '// filling without valve, pump, or lid can flood the deck',
);
check('comments', [
  ['If TANK_RAW is used, the water is left clear', tank, open],
  ['Filling with valve, pump, or lid can flood the deck', tank, open],
]);

const gatekeeper = linesOf('keeper.py', 'if limit is not None:', '    check_age(limit)');
check('a condition of code is no denial of its own', [
  ['If `limit` is given, the age is not checked', gatekeeper, refused],
  ['If `limit` is missing, the age is not checked', gatekeeper, held],
]);

const ferry = linesOf(
  'ferry.md',
  'The ferry to Norholm takes cyclists on weekdays. Dogs ride for free. Only members may use the upper deck.',
  'The captain checks the ropes before noon.',
);
check('only, always and all', [
  ['The ferry to Norholm takes cyclists on weekdays', ferry, shown],
  ['The ferry to Norholm takes only cyclists on weekdays', ferry, refused],
  ['The captain always checks the ropes before noon', ferry, refused],
  ['Only members may use the upper deck', ferry, held],
  ['All members may use the upper deck', ferry, open],
  ['Only dogs bark', ferry, open],
]);

check('what a record tells is not denied', [
  ['gate-22 was not opened for ship-5127 at berth 9', gates, refused],
  [
    'The pump did not answer the valve call',
    linesOf('p.log', '2031-01-01 00:00:01 pump valve call failed: answer missing'),
    held,
  ],
]);

check('names and signs that the lines lack', [
  ['The ferry to Sundby takes cyclists on weekdays', ferry, refused],
  // In other words it may be told under another name.
  ['Der Dampfer bringt Radfahrer an Werktagen nach Sundby', ferry, open],
  ['Unlike Sundby the ferry takes cyclists on weekdays', ferry, held],
  ['A line begins with `>>`', linesOf('a.md', 'A line begins with `<<` here.'), refused],
  ['A line begins with `<<`', linesOf('a.md', 'A line begins with `<<` here.'), held],
  ["The box is dropped with the cause 'rust'", linesOf('a.ts', "drop(box, 'wear')"), refused],
  ["The box is dropped with the cause 'wear'", linesOf('a.ts', "drop(box, 'wear')"), held],
]);

check('a quotation, however it is brought in', [
  ['One sentence contains "Dogs ride for free"', ferry, shown],
  ['The cited lines state: "Dogs ride for free"', ferry, shown],
  ['The cited lines state: "Dogs ride for nothing"', ferry, refused],
  ['The cited lines contradict "Dogs ride for free"', ferry, open],
]);

check('a number in words that a record has but as a digit', [
  ['relay-4 appears with two parts', linesOf('r.log', '2031-01-01 00:00:01 relay-4 part 2 up'), ['unclear']],
]);

check('one word for another that is short for it, or spelled as elsewhere', [
  ['The separator follows the green signature', linesOf('a.md', 'The sep follows the green sig.'), held],
  [
    'The organisation recognises the colour',
    linesOf('a.md', 'The organization recognizes the color.'),
    shown,
  ],
  ['The organisation ignores the colour', linesOf('a.md', 'The organization recognizes the color.'), open],
]);

it('a word that no line has leaves a claim open, names or none', () => {
  const rule = linesOf(
    'rule.md',
    'Letters are approved automatically if they changed only the stamp of a cover.',
  );
  expect(
    decide('Letters are approved by hand if they changed only the stamp of a cover', rule).verdict,
  ).not.toBe('shown');
});

it('what was opened and closed is neither opposed by the one nor by the other', () => {
  const door = linesOf(
    'door.log',
    '2031-01-01 04:10:44 door opened for cook',
    '2031-01-01 04:10:45 door closed for cook',
  );
  expect(held).toContain(decide('The door was opened at 04:10:44 and closed one second later', door).verdict);
});

it('markers at the end of a sentence stand for each of its parts', () => {
  const claims = splitClaims(
    'At ten the ratio was 0.004; at eleven the ratio had reached 0.84 [ev-0000000001] [ev-0000000002].',
  );
  expect(claims.map(({ ids }) => ids)).toEqual([
    ['ev-0000000001', 'ev-0000000002'],
    ['ev-0000000001', 'ev-0000000002'],
  ]);
});

const signed = linesOf(
  'src/limits.ts',
  'export const MAX_SIZE = 20;',
  'export const LOWEST = -7;',
  'run(`head -3`);',
);
check('a minus', [
  ['`MAX_SIZE` is 20', signed, shown],
  ['`MAX_SIZE` is -20', signed, refused],
  ['`LOWEST` is -7', signed, shown],
  ['`LOWEST` is \u22127', signed, shown],
  ['`LOWEST` is 7', signed, refused],
  // A flag has no sign.
  ['The first 3 lines are printed by `head`', signed, held],
]);
