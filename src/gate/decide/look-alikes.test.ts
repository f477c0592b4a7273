/** A claim with another name, unit or period than the lines have is refused; the true claim beside it is not. */
import { describe, expect, test } from 'vitest';
import { decide } from './decide.ts';
import { held, linesOf, refused, shown } from './testbed/claim-cases.contract.ts';

const dock = linesOf(
  'dock.go',
  '// Dock keeps ropes in ballast/stone. By default.',
  'func Dock() *Berth {',
  '\tw.Header().Add("Tide", "Ebb")',
  '\treturn &Berth{Ropes: hempstore.New(), Flag: harbour.FlagLaxMode, Code: "ENOROPE"}',
  '}',
);
const guild = linesOf(
  'guild.md',
  'The wages came from North Guild and were counted by counttool.exe.',
  'Sailors get up to $12,000 per month, for up to 12 weeks. The mast is looked at just once a year.',
  'A ship may rest for 18 months.',
);

describe('names beside others of their form', () => {
  test.each<[claim: string, source: typeof dock, verdicts: readonly string[]]>([
    ['The ropes come from hempstore.New()', dock, held],
    ['The ropes come from silkstore.New()', dock, refused],
    ['It keeps ropes in ballast/stone', dock, held],
    ['It keeps ropes in ballast/iron', dock, refused],
    ['Dock adds Tide: Ebb', dock, held],
    ['Dock adds Tide: Flood', dock, refused],
    ['Berths have Flag=Lax', dock, held],
    ['Berths have Flag=Strict', dock, refused],
    ['The code is ENOROPE', dock, held],
    ['The code is ENOSAIL', dock, refused],
    ['The wages came from North Guild', guild, held],
    ['The wages came from South Guild', guild, refused],
    ['Counting is done by counttool.exe', guild, held],
    ['Counting is done by countmerge.exe', guild, refused],
  ])('%s', (claim, source, verdicts) => {
    expect(verdicts).toContain(decide(claim, source).verdict);
  });
});

describe('periods and units', () => {
  test.each<[claim: string, source: typeof dock, verdicts: readonly string[]]>([
    ['Sailors get up to $12,000 per month', guild, held],
    ['Sailors get up to $12,000 per week', guild, refused],
    ['Sailors get it for up to 12 weeks', guild, held],
    ['Sailors get it for up to 12 months', guild, refused],
    ['The mast is looked at once a year', guild, held],
    ['The mast is looked at twice a year', guild, refused],
    ['The mast is looked at once a month', guild, refused],
    ['A ship may rest for 1.5 years', guild, held],
    ['A ship may rest for 18 years', guild, refused],
  ])('%s', (claim, source, verdicts) => {
    expect(verdicts).toContain(decide(claim, source).verdict);
  });

  test.each<[claim: string, line: readonly string[], verdicts: readonly string[]]>([
    ['`TIDE_TTL` is 500 seconds', ['TIDE_TTL = 500  # seconds'], shown],
    ['`TIDE_TTL` is 500 minutes', ['TIDE_TTL = 500  # seconds'], refused],
    ['`TIDE_TIMEOUT` is 500 ms', ['TIDE_TIMEOUT = 500 // in ms'], shown],
    ['`TIDE_TIMEOUT` is 500 seconds', ['TIDE_TIMEOUT = 500 // in ms'], refused],
    ['`TIDE_TIMEOUT` is 500 seconds', ['# How long a tide lasts, in seconds.', 'TIDE_TIMEOUT = 500'], shown],
    ['`TIDE_TIMEOUT` is 500 ms', ['# How long a tide lasts, in seconds.', 'TIDE_TIMEOUT = 500'], refused],
    // A comment that says something else leaves the unit open.
    ['`TIDE_TIMEOUT` is 500 seconds', ['TIDE_TIMEOUT = 500  # seconds, not minutes'], ['unclear']],
  ])('%s over %s', (claim, line, verdicts) => {
    expect(verdicts).toContain(decide(claim, linesOf('tides.py', ...line)).verdict);
  });
});

describe('true claims are not refused', () => {
  const branch = linesOf(
    'sea.ts',
    'function of(n) {',
    '  switch (n) {',
    '    case -1:',
    '      return "eof";',
    '  }',
    '}',
  );
  const take = linesOf(
    'sea.ts',
    'function find(m, key) {',
    '  let get;',
    '  if ((get = m.get)) {',
    '    return get.call(m, key);',
    '  }',
    '}',
  );
  const early = linesOf(
    'sea.ts',
    'const handle = ({ error, stream, port }) => {',
    "  if (port === 'all') {",
    '    return error;',
    '  }',
    '',
    '  const unit = unitOf(port);',
    '  error.unit = unit;',
    '  stream.destroy();',
    '};',
  );
  const logged = linesOf(
    'sea.log',
    'Dec 10 07:07:38 LabSea shipd[24]: Invalid sailor test9 from 52.80.34.196',
    'Dec 10 07:07:38 LabSea shipd[24]: pam: check pass; sailor unknown',
    '[Sun Dec 04 04:51:09 2005] found child 6726 in slot 8',
    '[Sun Dec 04 04:51:09 2005] found child 6728 in slot 6',
  );
  const wages = linesOf(
    'wages.md',
    'Every *three* years sailors may rest for 6 weeks, at no cost to the sailor. If a sailor leaves, unused rest is paid only if it was earned within 12 months.',
    'There is a 7-day wait for Short Term rest. There is a 90 day wait for Long Term rest.',
  );
  test.each<[claim: string, source: typeof dock]>([
    ['A value of -1 gives "eof"', branch],
    ['`of` returns "eof" for -1', branch],
    ['`find` takes `m.get`', take],
    ["For port 'all' the error is returned and the stream is not destroyed", early],
    ['The sailor test9 from 52.80.34.196 was unknown', logged],
    ['Child 6728 was found in slot 6 and child 6726 in slot 8', logged],
    ['There is a wait of 7 days for Short Term rest and of 90 days for Long Term rest', wages],
    ['Rest costs the sailor nothing', wages],
    ['Unused rest is paid only if it was earned within the previous 12 months', wages],
  ])('%s', (claim, source) => {
    expect(held).toContain(decide(claim, source).verdict);
  });
});
