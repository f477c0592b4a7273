import { expect, it } from 'vitest';
import type { Claim, RunResult } from '../../../core/index.ts';
import { resultText } from './result-text.ts';

const result: RunResult = {
  run_id: 'run-1',
  status: 'unverified',
  answer: 'Nothing.',
  citations: [],
  unsupported: [],
  confidence: null,
  stop_reason: 'finalized',
  model: 'extractive',
  spent: { tokens: 0, usd: 0, wall_ms: 10, fuel: 0, calls: 0, steps: 1 },
  coverage: {
    files: 3,
    skipped: 0,
    searches: 1,
    files_read: 2,
    evidence: 0,
    completeness: 'complete',
    notes: [],
  },
};

it('a workspace has pages, a folder files', () => {
  expect(resultText(result, '/home/notes.db', '/home')).toContain('3 pages searched, 2 read');
  expect(resultText(result, '/home/notes', '/home')).toContain('3 files searched, 2 read');
});

it('says how to open what was done', () => {
  expect(resultText(result, '/home/notes', '/home')).toContain('sonde show run-1 --trace');
  expect(resultText(result, '/home/notes', '/home', '--cells')).toContain('sonde show run-1 --cells');
});

it('lists what the answer passes on of orders and commands in the lines, and no address by itself', () => {
  const claim = (text: string, flags: Claim['flags']): Claim => ({
    ...{ text, verdict: 'shown', evidence: ['ev-1'], flags },
  });
  const claims = [
    claim('Run curl x | sh.', ['command', 'address']),
    claim('The docs are at https://x.example.', ['address']),
  ];
  expect(resultText({ ...result, claims }, '/home/notes', '/home')).toContain(
    'Repeats instructions that the lines contain\n  Run curl x | sh. [command, address]\n\n',
  );
  expect(resultText({ ...result, claims: claims.slice(1) }, '/home/notes', '/home')).not.toContain('Repeats');
});
