import { expect, it } from 'vitest';
import { evidence } from '../../../core/index.ts';
import { recordedReader } from '../gather/documents.ts';
import { bindClaim } from './claims.ts';

const held = [
  'commit 0fc0ffee0123456789abcdef01234567 at 2026-03-05T10:14:00Z of orders: chore: align the pool',
  '@@ func pool() {',
  '-\tdb.SetMaxOpenConns(100)',
  '+\tdb.SetMaxOpenConns(10)',
].join('\n');

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
    { names: new Set(['orders', 'db_pool_wait_ms']), firstFailing: 'orders' },
  );
  if (reason === null)
    expect(bound).toEqual({ text: 'The pool of orders was cut from 100 to 10', evidence: [item.id] });
  else expect(bound).toMatchObject({ reason: expect.stringContaining(reason) });
});
