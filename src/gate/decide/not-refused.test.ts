/** True claims that round, shorten or turn what their lines say are not refused; false ones beside them are not shown. */
import { describe, expect, test } from 'vitest';
import { decide } from './decide.ts';
import { held, linesOf, refused } from './testbed/claim-cases.contract.ts';

const probes = linesOf(
  'probes.log',
  '2026-03-02 10:00:05 +0000 Harbour Gate is up (200 in 8133 ms)',
  '2026-03-02 10:04:11 +0000 Harbour Gate is up (200 in 2858 ms)',
  '2026-03-02 10:09:58 +0000 Harbour Gate is up (200 in 611 ms)',
);
const summary = linesOf(
  'summary.json',
  '{',
  '  "name": "Harbour Gate",',
  '  "timeDay": 974,',
  '  "timeWeek": 2902,',
  '  "dailyMinutesDown": {',
  '    "2026-03-02": 69',
  '  }',
  '}',
);
const meeting = linesOf('meeting.md', 'The Harbour Master will run the meeting.');
const tokens = linesOf('tokens.md', 'It makes tokens such as Mast [0..31] and Rope [27..29].');
const drift = linesOf(
  'drift.log',
  'Jun 30 12:04:43 tide[17]: frequency initialized -22.777 PPM from /var/tide.drift',
);
const bytes = linesOf('ropes.log', '2011/06/08 17:30:43 [3561] connection closed (5018 bytes received)');

describe('figures', () => {
  test.each<[claim: string, source: typeof probes, verdicts: readonly string[]]>([
    ['Harbour Gate took more than 8 seconds', probes, held],
    ['Harbour Gate took more than 9 seconds', probes, refused],
    ['Harbour Gate took almost 9 seconds', probes, held],
    ['Harbour Gate took almost 8 seconds', probes, refused],
    ['Harbour Gate was up after over 8 seconds and then after not quite 3', probes, held],
    ['The average of the day for Harbour Gate is 974 ms', summary, held],
    ['The average of the day for Harbour Gate is 947 ms', summary, refused],
    ['Harbour Gate lost 69 minutes on 2 March', summary, held],
    ['Harbour Gate lost 96 minutes on 2 March', summary, refused],
    ['The mast is at 0 to 31 and the rope at 27 to 29', tokens, held],
    ['The mast is at 0 to 33 and the rope at 27 to 29', tokens, refused],
    ['The frequency of -22.777 PPM was taken from `/var/tide.drift`', drift, held],
    ['The frequency of -27.777 PPM was taken from `/var/tide.drift`', drift, refused],
    ['When it closed on 8 June, 5018 bytes had been received', bytes, held],
    ['When it closed on 8 June, 5081 bytes had been received', bytes, refused],
  ])('%s', (claim, source, verdicts) => {
    expect(verdicts).toContain(decide(claim, source).verdict);
  });
});

describe('names and words', () => {
  const server = linesOf(
    'ftp.log',
    'Mon Feb 21 17:44:19 2011 response: Client "192.0.2.1", "331 Please give the word."',
  );
  const pool = linesOf('pool.md', 'Note: the ropes of the pool are lazily made.');
  test.each<[claim: string, source: typeof probes, verdicts: readonly string[]]>([
    ['The HM runs the meeting', meeting, held],
    ['The QX runs the meeting', meeting, refused],
    ['The server asked with "331 Please give the word."', server, held],
    ['The ropes of the pool are lazily made, not when the pool itself is made', pool, held],
    ['The ropes of the pool are not lazily made', pool, refused],
  ])('%s', (claim, source, verdicts) => {
    expect(verdicts).toContain(decide(claim, source).verdict);
  });
});
