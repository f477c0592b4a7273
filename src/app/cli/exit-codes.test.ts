import { expect, it } from 'vitest';
import { exitCodeOfIncident } from './exit-codes.ts';

it.each([
  ['a cause', 'code_change', 0],
  ['a state', 'state', 0],
  ['no trouble', 'healthy', 0],
  ['one that is being looked into', 'duplicate', 0],
  ['nothing', 'inconclusive', 3],
  ['nothing that anything knows', 'unrelated', 3],
] as const)('a verdict on an incident that found %s, whatever became of its claims', (_, verdict, code) => {
  for (const status of ['verified', 'partial', 'unverified'] as const) {
    const incident = { verdict, stop_reason: 'finalized', status, non_validated_claims: [{}] } as const;
    expect(exitCodeOfIncident(incident)).toBe(code);
  }
});

it.each([
  ['cancelled', 130],
  ['model_failed', 4],
] as const)('an incident that ended because of %s', (stop_reason, code) => {
  expect(exitCodeOfIncident({ verdict: 'inconclusive', stop_reason })).toBe(code);
});
