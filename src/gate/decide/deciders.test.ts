import { describe, expect, it, test } from 'vitest';
import { parseClaim } from '../claim/reading.ts';
import type { ClaimSource } from '../gate.ts';
import { createSource } from '../lines/source.ts';
import { findExchangedFigures, findSwap } from './contradict/exchanged.ts';
import { findOpposite } from './contradict/opposed.ts';
import { findOtherSubject } from './contradict/other-subject.ts';
import { checkTimeline } from './contradict/timeline.ts';
import { decide } from './decide.ts';
import { findReversedChange } from './support/from-to.ts';

const of = (path: string, ...lines: readonly string[]) => {
  const one: ClaimSource = {
    id: 'ev-0000000001',
    path,
    start: 1,
    end: lines.length,
    content: lines.join('\n'),
  };
  return createSource([one]);
};

const watch = of(
  'notes/night.md',
  '| Time | What |',
  '| --- | --- |',
  '| 21:05 | The pump alarm rang in the engine room |',
  '| 21:12 | Water stood in the lower hold |',
  '| 22:40 | The second pump was connected |',
);

describe('times of records', () => {
  const cases: readonly [claim: string, verdict: 'so' | 'otherwise' | null][] = [
    ['The pump alarm rang before water stood in the lower hold', 'so'],
    ['The pump alarm rang after water stood in the lower hold', 'otherwise'],
    ['Water stood in the lower hold seven minutes after the pump alarm rang', 'so'],
    ['Water stood in the lower hold seven hours after the pump alarm rang', 'otherwise'],
    ['Water stood in the lower hold thirty minutes after the pump alarm rang', 'otherwise'],
    // What it is about stands in no record.
    ['The captain slept before the cook left', null],
    ['The pump alarm rang in the engine room', null],
  ];
  test.each(cases)('%s', (claim, verdict) => {
    expect(checkTimeline(parseClaim(claim), watch)?.verdict ?? null).toBe(verdict);
  });

  it('a time that the records give to something else', () => {
    expect(findOtherSubject(parseClaim('At 21:12 the second pump was connected'), watch)).toMatch(/22:40/);
    expect(findOtherSubject(parseClaim('At 22:40 the second pump was connected'), watch)).toBeNull();
    expect(findOtherSubject(parseClaim('At 21:12 everybody woke'), watch)).toBeNull();
  });
});

describe('figures of another', () => {
  const fees = of(
    'fees.md',
    '- Members of the rowing club pay 40 a year.',
    '- Guests of the rowing club pay 15 a day.',
  );
  it('are told', () => {
    expect(findOtherSubject(parseClaim('Guests of the club pay 40 a day'), fees)).toMatch(/15/);
    expect(findOtherSubject(parseClaim('Guests of the club pay 15 a day'), fees)).toBeNull();
  });
  const record = of('a.json', '{"pump_rpm": 1450, "valve_degrees": 35}');
  it('in one record, each under the name of the other', () => {
    expect(findExchangedFigures(parseClaim('The pump ran at 35 and the valve at 1450'), record)).toMatch(
      /way round/,
    );
    expect(findExchangedFigures(parseClaim('The pump ran at 1450 and the valve at 35'), record)).toBeNull();
    expect(findExchangedFigures(parseClaim('35 and 1450 were written down'), record)).toBeNull();
  });
  const rooms = of(
    'rooms.md',
    '`oak` stores sharp tools near paint.',
    '',
    '`elm` stores dry seeds near straw.',
  );
  it('and names that stand apart, each with what is said of the other', () => {
    const anchors = [
      { start: 0, end: 5, text: 'oak', kind: 'term', how: 'exact', segments: [0] },
      { start: 31, end: 36, text: 'elm', kind: 'term', how: 'exact', segments: [1] },
    ] as const;
    const turned = parseClaim('`oak` stores dry seeds near straw, `elm` stores sharp tools near paint');
    const right = parseClaim('`oak` stores sharp tools near paint, `elm` stores dry seeds near straw');
    const places = (text: string) =>
      anchors.map((one) => ({
        ...one,
        start: text.indexOf(`\`${one.text}\``),
        end: text.indexOf(`\`${one.text}\``) + 5,
      }));
    expect(findSwap(turned, places(turned.text), rooms)).toMatch(/"elm"/);
    expect(findSwap(right, places(right.text), rooms)).toBeNull();
  });
});

describe('changes from one value to another', () => {
  const cases: readonly [claim: string, source: ReturnType<typeof of>, isTurned: boolean][] = [
    ['The level rose from 9 to 4', watch, true],
    ['The level rose from 4 m to 9 m', watch, false],
    ['The wait fell from 12 ms to 80 ms', watch, true],
    ['The wait fell from 2 s to 300 ms', watch, false],
    ['The wait rose from 2 s to 300 ms', watch, true],
    ['The wait rose from 3 to 9 minutes', watch, false],
    ['The limit went from 20 to 60', of('a.diff', '-limit: 60', '+limit: 20'), true],
    ['The limit went from 60 to 20', of('a.diff', '-limit: 60', '+limit: 20'), false],
    ['The depth went from 340 to 12', of('a.log', 'depth 12 -> 340'), true],
    ['It was seen 30 times, 25 fewer than usual', of('a.json', '"count": 30, "delta": "+25"'), true],
    ['It was seen 30 times, 25 more than usual', of('a.json', '"count": 30, "delta": "+25"'), false],
    [
      'The load went from 7 to 3',
      of('a.log', '2030-01-01 10:00:00 load 3', '2030-01-01 10:05:00 load 7'),
      true,
    ],
  ];
  test.each(cases)('%s', (claim, source, isTurned) => {
    expect(findReversedChange(parseClaim(claim), source) !== null).toBe(isTurned);
  });
});

describe('a clause that says the opposite', () => {
  const rules = of(
    'rules.md',
    'The keeper opens the harbour gate at dawn. Visitors may not feed the seals. Every boat carries a lamp.',
  );
  const cases: readonly [claim: string, isOpposed: boolean][] = [
    ['The keeper closes the harbour gate at dawn', true],
    ['The keeper opens the harbour gate at dawn', false],
    ['Few boats carry a lamp', true],
    ['Every boat carries a lamp', false],
    ['The keeper closes the museum at night', false],
  ];
  test.each(cases)('%s', (claim, isOpposed) => {
    expect(findOpposite(parseClaim(claim), rules) !== null).toBe(isOpposed);
  });

  it('or that it is not so', () => {
    const notes = of('a.md', 'The old harbour clock was not repaired by the smith.');
    expect(findOpposite(parseClaim('The harbour clock was repaired by the smith'), notes)).not.toBeNull();
    expect(findOpposite(parseClaim('The harbour clock was not repaired by the smith'), notes)).toBeNull();
  });
});

describe('rows of a printed table', () => {
  const table = [
    'CRANE                COUNT',
    'north                 1009',
    'northeast             8174',
    'quay                   120',
  ].join('\n');
  const of = (claim: string, content = table) =>
    decide(claim, createSource([{ id: 'ev_1', path: 'count_example.txt', start: 1, end: 4, content }]))
      .verdict;

  test.each<[claim: string, verdict: string]>([
    ['The crane north was counted 8174 times.', 'contradicted'],
    ['quay and north were each counted 120 times.', 'contradicted'],
    ['More than 120 were counted for north.', 'unclear'],
  ])('a figure of another row: %s', (claim, verdict) => {
    expect(of(claim)).toBe(verdict);
  });

  test('the time as a shell prints it', () => {
    expect(of('The run took 5.57 seconds.', 'real  0m5.566s\nuser  0m0.336s')).not.toBe('not shown');
  });
});

describe('what is let through by words alone', () => {
  test.each<[claim: string, content: string, path: string]>([
    [
      'The depot will use a local instance of MySQL.',
      'The depot will use a local instance of PostgreSQL.',
      'a.md',
    ],
    [
      'The account still had the grant that paid the ferry.',
      'The account has run out of the grant that paid the ferry.',
      'a.md',
    ],
    [
      'After the loop, berths holds 10 distinct ropes.',
      'After the loop, `berths` holds 10 equal ropes instead of 10 distinct ropes.',
      'a.md',
    ],
    [
      'The harbour/cranes folder is kept private.',
      'The `harbour/data` folder, with cranes, is kept private.',
      'a.md',
    ],
    [
      'The lamp was down, but the crane failed for all loads.',
      'The lamp is up, but the crane fails for all loads.',
      'a.md',
    ],
    ['A late load is returned as a fault.', 'if load.late {\n-  return fault\n+  log(load)\n}', 'a.go'],
  ])('%s', (claim, content, path) => {
    expect(decide(claim, createSource([{ id: 'ev_1', path, start: 1, end: 9, content }])).verdict).not.toBe(
      'shown',
    );
  });
});
