/** A claim turned about: denied, opposed or counted otherwise than its lines; and true ones that look alike. */
import { describe, expect, test } from 'vitest';
import { decide } from './decide.ts';
import { held, linesOf, refused } from './testbed/claim-cases.contract.ts';

const widest = linesOf(
  'quay/widths.py',
  'def widest_berth(berths):',
  '    return max(one.width for one in berths)',
);
const moored = linesOf(
  'quay/moor.py',
  'def moor(ship, rope):',
  '    bollard = bollard_of(ship)',
  '    bollard.tie(rope)',
  '    with suppress(OSError):  # a tie can raise EIO on wet bollards',
  '        rope.close()',
  '    return bollard',
);
const unmoored = linesOf(
  'quay/moor.py',
  'def unmoor(ship, *, keep_rope=False):',
  '    if not keep_rope:',
  '        ship.rope.drop()',
  '    return ship',
);
const notes = linesOf(
  'notes/ferry.md',
  '# The ferry',
  '',
  'Starting in May, newly hired captains must log each crossing.',
  'The ferry takes at most 40 cars.',
  'The harbour office has published the new tide tables.',
  'The pilot now rejects ships that are longer than 90 m.',
);
const one = linesOf('berths.log', '2031-03-02 06:10:01 quay[12]: gate=gate-17 carrier="Norholm Line" opened');
const denied = linesOf('berths.log', '2031-03-02 06:10:01 quay[12]: crane is not connected');
const crew = linesOf(
  'crew.py',
  'def greet_all(crew):',
  '    for sailor in crew:',
  '        yield greet(sailor)',
);
const queued = linesOf('queue.py', 'def oldest(queue):', '    return queue[0]');

describe('a claim that turns its lines about is refused', () => {
  test.each([
    ['The harbour office has not published the new tide tables.', notes],
    ['It is not so that the harbour office has published the new tide tables.', notes],
    ['The ferry takes at least 40 cars.', notes],
    ['The harbour office has published the old tide tables.', notes],
    ['Never suppresses EIO of a tie on wet bollards.', moored],
    ['The carrier is not Norholm Line.', one],
    ['The gate is not gate-17.', one],
    [
      'Gives the berth that is narrowest, with the minimum width.',
      linesOf('w.py', 'def max_width(berths):', '    return widest(berths)'),
    ],
    [
      'Opens the sluice behind the ship.',
      linesOf('s.py', 'def close_sluice(ship):', '    sluice_of(ship).shut()'),
    ],
    ['Greets only the first sailor of the crew.', crew],
  ])('%s', (claim, source) => {
    expect(refused).toContain(decide(claim, source).verdict);
  });
});

describe('a true one that looks alike is not', () => {
  test.each([
    ['The ferry takes at most 40 cars.', notes],
    ['The pilot no longer lets in ships that are longer than 90 m.', notes],
    ['Does not drop the rope if `keep_rope` is set.', unmoored],
    ['Does not wait for the tide.', moored],
    ['The crane is not connected.', denied],
    ['The gate is not gate-22.', one],
    ['Gives the maximum width of the berths.', widest],
    ['Greets only the first sailor of the queue.', queued],
    ['Moors a ship, so that no other can take its bollard.', moored],
  ])('%s', (claim, source) => {
    expect(held).toContain(decide(claim, source).verdict);
  });
});

const config = linesOf('docs/conf.py', 'mode = "index"', 'quay_style = "plain"', 'language = "en"');
const built = linesOf(
  'issues/12.md',
  'npm ERR! code ETIMEDOUT',
  'lerna WARN complete Waiting for 14 child processes to exit.',
  'yarn run build exited 137',
);
const test71 = linesOf('issues/13.md', 'The text was not equal (TideKitSpec.scala:71)');

describe('what stands beside it, or in a longer word, does not show a claim', () => {
  test.each([
    ['Quay language set to "de"', config],
    ['Quay style set to "en"', config],
    ['yarn was still waiting for 14 child processes.', built],
    ['The text was not equal at `TideKit.scala:71`.', test71],
  ])('%s', (claim, source) => {
    expect(decide(claim, source).verdict).not.toBe('shown');
  });
});

const table = linesOf('ships.csv', 'ship,berth_a,berth_b,crew', 'Norholm,76,14,128', 'Vester,6,2,337');
const releases = linesOf(
  'CHANGELOG.md',
  '## [1.9.0] - 2031-10-15',
  '',
  '### Changed',
  '',
  '- Use moorings for tie-up (via #715) (@vester)',
  '',
  '## [1.8.0] - 2031-02-17',
  '',
  '- New helper for ropes (via #690) (@norholm)',
);

describe('figures of a table, and what stands below the title of a release', () => {
  test.each([
    ['Vester had a crew of 337.', table],
    ['1.9.0 uses moorings for tie-up.', releases],
  ])('%s', (claim, source) => {
    expect(held).toContain(decide(claim, source).verdict);
  });
});

test('a report of 200 KB in one line is cut before it is compared', () => {
  const text = Array.from(
    { length: 6_000 },
    (_, at) => `<case name="test_${at}" time="0.00${at % 9}" />`,
  ).join('');
  expect(linesOf('report.xml', text).segments.every((one) => one.text.length <= 4_000)).toBe(true);
});
