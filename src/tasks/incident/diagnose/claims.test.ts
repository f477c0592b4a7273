import { expect, it } from 'vitest';
import { createEvidence, type IncidentClaim } from '../../../core/index.ts';
import { readRecorded } from '../gather/documents.ts';
import { bindClaim } from './claims.ts';
import { parseClaim } from './conclusion.ts';

const held = [
  'commit 0fc0ffee0123456789abcdef01234567 at 2026-03-05T10:14:00Z of orders: chore: align the pool',
  '@@ func pool() {',
  '-\tdb.SetMaxOpenConns(100)',
  '+\tdb.SetMaxOpenConns(10)',
].join('\n');

const lines = held.split('\n');
const item = createEvidence({
  file_path: 'signals/m/1',
  start_line: 1,
  end_line: lines.length,
  content: held,
  reason: 'm',
  provenance: 'manual',
});
const reader = (text: readonly string[]) =>
  readRecorded([{ path: 'signals/m/1', lines: text } as Parameters<typeof readRecorded>[0][number]]);

const said: IncidentClaim = {
  text: 'SetMaxOpenConns was changed from 100 to 10.',
  evidence: [],
  fields: { verb: 'changed', object: 'SetMaxOpenConns', from: '100', to: '10' },
};
const known = { names: new Set(['orders', 'db_pool_wait_ms']) };

// incident.md: diagnose 2.
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
  const bound = await bindClaim({ ...said, evidence: ids }, [item], reader(text), known);
  if (reason === null) expect(bound).toEqual({ ...said, evidence: [item.id], verdict: 'shown' });
  else expect(bound).toMatchObject({ reason: expect.stringContaining(reason), verdict: 'not shown' });
});

it('a sentence is held against the lines, and left open where they neither say so nor deny it', async () => {
  const bound = (text: string) => bindClaim({ text, evidence: [item.id] }, [item], reader(lines), known);
  expect(await bound('Every customer was kept waiting')).toMatchObject({ verdict: 'unclear' });
  expect(await bound('orders answered 77777 requests')).toMatchObject({ verdict: 'not shown' });
});

it.each([
  ['ids with a backtick between them', `[${'ev-aaaaaaaaaa`'.repeat(40)};;]`],
  ['a run of spaces', `[ev-aaaaaaaaaa${' '.repeat(2_000)};;]`],
])('reads a sentence with %s in bounded time', (_, sentence) => {
  expect(parseClaim(sentence).evidence).toEqual(['ev-aaaaaaaaaa']);
});
