/** Which server a message means that names its product only. */
import { expect, it } from 'vitest';
import type { Facts } from '../facts.ts';
import { judge } from '../judge.ts';

const start = Date.parse('2026-03-02T10:00:00Z');
const line = (service: string, text: string, level = 'ERROR', k = 50) => ({
  at: start + k * 60_000,
  service,
  level,
  text,
  evidence: `ev-${service}`,
});
const blames = (lines: Facts['lines'], service = 'till') => {
  const facts: Facts = {
    series: [],
    lines,
    patterns: [],
    changes: [],
    spans: [],
    alerts: [],
    texts: [],
    tables: [],
  };
  const { cause } = judge(facts, { text: 'till fails', service, at: start + 60 * 60_000 });
  return cause?.kind === 'state' ? cause.of.object : null;
};
const refused = line('till', 'FATAL: sorry, too many clients already');

it.each([
  [
    'it writes like the product',
    [refused, line('ledger-1', 'LOG:  checkpoint starting: time', 'INFO')],
    'ledger-1',
  ],
  [
    'it is called like the product',
    [refused, line('shop-postgres', 'ready', 'INFO'), line('shop-cache', 'ready', 'INFO')],
    'shop-postgres',
  ],
  ['it is the only server', [refused, line('bookings-db', 'ready', 'INFO')], 'bookings-db'],
  [
    'its words come out of the library of a client',
    [
      line('till', 'shop.Till - failed\nPgException: FATAL: the database system is shutting down'),
      line('bookings-pg', 'LOG:  checkpoint starting', 'INFO'),
    ],
    'bookings-pg',
  ],
  ['none is known', [refused, line('floor', 'ready', 'INFO')], 'PostgreSQL'],
  [
    'another product is known',
    [
      line('till', "OOM command not allowed when used memory > 'maxmemory'"),
      line('bookings-pg', 'LOG:  checkpoint starting', 'INFO'),
      line('seats-redis', 'x', 'INFO'),
    ],
    'seats-redis',
  ],
])('%s', (_, lines, object) => {
  expect(blames(lines)).toBe(object);
});
