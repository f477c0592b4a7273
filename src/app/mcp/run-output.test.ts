import { expect, test } from 'vitest';
import { type Claim, type RunResult, zeroAmounts } from '../../core/index.ts';
import { structureAnswer } from './run-output.ts';

const claims = (count: number): readonly Claim[] =>
  Array.from({ length: count }, (_, at) => ({
    ...{ text: `Claim ${at} says something of the harbour.`, evidence: ['ev-0000000000'], flags: [] },
    verdict: at % 5 === 0 ? ('not shown' as const) : ('shown' as const),
  }));
const result = (count: number): RunResult => ({
  ...{
    run_id: 'run-0000000000abcdef',
    status: 'partial',
    answer: 'It is so.',
    citations: [],
    unsupported: [],
  },
  ...{
    confidence: 0.5,
    stop_reason: 'finalized',
    model: 'scripted',
    spent: zeroAmounts,
    claims: claims(count),
  },
  coverage: {
    ...{ files: 1, skipped: 0, searches: 1, files_read: 1, evidence: 1, notes: [] },
    completeness: 'complete',
  },
});
const asIs = (text: string): string => text;

test('few claims are there in their order', () => {
  const { claims: told, claim_counts } = structureAnswer(result(5), asIs);
  expect(told.map(({ verdict }) => verdict)).toEqual(['not shown', 'shown', 'shown', 'shown', 'shown']);
  expect(claim_counts).toEqual({ 'not shown': 1, shown: 4 });
});

test('where the answer takes all the room, the claims are counted as left out', () => {
  const told = structureAnswer({ ...result(5), answer: 'It is so. '.repeat(400) }, asIs);
  expect([told.claims.length + told.claims_left_out, told.claim_counts]).toEqual([
    5,
    { 'not shown': 1, shown: 4 },
  ]);
  expect(told.claims_left_out).toBeGreaterThan(0);
});

test('of many the worst come first, and all are counted', () => {
  const { claims: told, claim_counts, claims_left_out } = structureAnswer(result(100), asIs);
  expect(claims_left_out).toBe(100 - told.length);
  expect(told.length).toBeGreaterThan(3);
  expect(told.length).toBeLessThan(100);
  expect(told.slice(0, 3).every(({ verdict }) => verdict === 'not shown')).toBe(true);
  expect(claim_counts).toEqual({ 'not shown': 20, shown: 80 });
});
