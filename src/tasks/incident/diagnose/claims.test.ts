import { expect, it } from 'vitest';
import { evidence } from '../../../core/index.ts';
import { recordedReader } from '../gather/documents.ts';
import { bindClaim, missingFrom } from './claims.ts';

const held = [
  'query: db pool of orders',
  'orders db_pool_wait_ms: up since 2026-03-05T10:14:00Z (step), from 2 to 1,840.5',
  'commit 0fc0ffee0123456789abcdef01234567 of orders: chore: align db settings',
  '-\tdb.SetMaxOpenConns(100)',
  '+\tdb.SetMaxOpenConns(10)',
].join('\n');

it.each([
  ['db_pool_wait_ms of orders went from 2 to 1840.5 since 10:14', null],
  ['Commit 0fc0ffee01 set "db.SetMaxOpenConns(10)" on orders', null],
  ['The pool of orders was cut from 100 to 10', null],
  ['The pool of orders was cut from 100 to 5', 'the number 5'],
  ['db_pool_wait_ms of orders rose at 10:15', 'the time 10:15'],
  ['Commit deadbee1 cut the pool of orders', 'deadbee1'],
  ['The log says "connection pool exhausted" on orders', '"connection pool exhausted"'],
  ['http_p99_ms of orders rose', 'http_p99_ms'],
  ['The certificate expired', 'shares no word'],
])('%s', (claim, missing) => {
  const found = missingFrom(claim, held);
  if (missing === null) expect(found).toBeNull();
  else expect(found).toContain(missing);
});

const lines = held.split('\n');
const item = evidence({
  file_path: 'signals/m/1',
  start_line: 1,
  end_line: lines.length,
  content: held,
  reason: 'm',
  provenance: 'manual',
});
const reader = (text: readonly string[]) =>
  recordedReader([{ path: 'signals/m/1', lines: text } as Parameters<typeof recordedReader>[0][number]]);

it.each([
  ['it names none', [], lines, 'it names no evidence'],
  ['it names another run’s', ['ev-0123456789'], lines, 'no evidence of this run'],
  [
    'the record changed',
    [item.id],
    [...lines.slice(0, -1), '+\tdb.SetMaxOpenConns(50)'],
    'does not say the same any more',
  ],
  ['all is there', [item.id], lines, null],
])('bound: %s', async (_, ids, text, reason) => {
  const bound = await bindClaim(
    { text: 'The pool of orders was cut from 100 to 10', evidence: ids },
    [item],
    reader(text),
  );
  if (reason === null)
    expect(bound).toEqual({ text: 'The pool of orders was cut from 100 to 10', evidence: [item.id] });
  else expect(bound).toMatchObject({ reason: expect.stringContaining(reason) });
});
