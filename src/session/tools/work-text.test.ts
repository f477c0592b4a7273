import { expect, it } from 'vitest';
import { formatWork } from './work-text.ts';

it('the answer stands first and as it is, and then what is to be known of it', () => {
  const output = {
    run_id: 'run-1',
    status: 'partial',
    answer: 'Two pages:\n- "Lamp" [ev-1]\n- Keeper',
    citations: [
      { id: 'ev-1', path: 'Lamp.md', start_line: 2, end_line: 2, status: 'verified' },
      { id: 'ev-2', path: 'Keeper.md', start_line: 4, end_line: 9, status: 'verified' },
    ],
    missing: [],
    confidence: null,
    read_trail: { read: ['pg-1'], count: 1 },
    spent: { tokens: 5 },
  };
  expect(formatWork(output)).toBe(
    [
      ...['Two pages:', '- "Lamp" [ev-1]', '- Keeper', ''],
      ...['run_id: run-1', 'status: partial', 'citations: ev-1 Lamp.md:2, ev-2 Keeper.md:4-9'],
    ].join('\n'),
  );
});

it.each([
  ['a value', { answer: { lamps: 2 }, status: 'final' }, '{\n "lamps": 2\n}\n\nstatus: final'],
  [
    'a cause',
    { root_cause: 'The disk was full.', remediation_steps: ['Empty it.', 'x'.repeat(70)] },
    `The disk was full.\n\nremediation_steps: \n- Empty it.\n- ${'x'.repeat(70)}`,
  ],
  [
    'the short form of long work',
    {
      form: { summary: 'Gold at p-1.', insights: [], write_ids: ['w-1'], trace: { thread: 't' } },
      rewind: {},
    },
    'Gold at p-1.\n\nwrite_ids: w-1',
  ],
])('%s is told likewise', (_what, output, text) => {
  expect(formatWork(output)).toBe(text);
});

it.each([[{ kinds: [], proposals: [] }], ['said'], [null], [[1]]])('%j is data', (output) => {
  expect(formatWork(output)).toBeUndefined();
});
