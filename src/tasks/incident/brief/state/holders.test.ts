import { expect, test } from 'vitest';
import { findHolders } from './holders.ts';

const at = (minutes: number): string => new Date(Date.UTC(2026, 2, 16, 10, minutes)).toISOString();
const session = (pid: number, state: string, began: number) => ({
  pid,
  usename: 'ada',
  application_name: 'psql',
  state,
  xact_start: at(began),
  state_change: at(30),
  query: 'update plans set price = price',
});
const found = (...rows: Record<string, unknown>[]) =>
  findHolders(rows, 'ev-0000000001').map(({ object }) => object);

test('the transaction that is left open for longest holds the others', () => {
  expect(
    found(
      session(7, 'active', 1),
      session(8, 'idle in transaction', 9),
      session(9, 'idle in transaction', 4),
    ),
  ).toEqual(['pg_session/9']);
});

test.each([
  ['one that was idle for less', session(8, 'idle in transaction', 29)],
  ['one at work', session(8, 'active', 1)],
  ['one that is idle in no transaction', { ...session(8, 'idle', 1), xact_start: null }],
  ['a row of something else', { name: 'orders', state: 'idle in transaction' }],
])('%s holds nothing', (_, row) => {
  expect(found(row, session(9, 'active', 30))).toEqual([]);
});

const slot = (more: Record<string, unknown>) => ({
  slot_name: 'search_old',
  active: false,
  retained_bytes: 9e10,
  ...more,
});

test('a slot that nobody reads keeps the log', () => {
  expect(found(slot({}))).toEqual(['replication_slot/search_old']);
  expect(found(slot({ active: 'f' }))).toEqual(['replication_slot/search_old']);
});

test('its size with its unit', () => {
  const named = { retained_bytes: undefined, retained_gib: 222 };
  expect(found(slot(named))).toEqual(['replication_slot/search_old']);
  expect(found(slot({ ...named, retained_gib: 0.1 }))).toEqual([]);
});

test.each([{ active: true }, { retained_bytes: 4096 }, { retained_bytes: null }])(
  '%j: it keeps none',
  (more) => {
    expect(found(slot(more))).toEqual([]);
  },
);
