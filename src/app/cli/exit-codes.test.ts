import { expect, it } from 'vitest';
import { exitCodeOfIncident } from './exit-codes.ts';

const claim = { text: 'It broke.', evidence: [], reason: 'not there' };

it.each([
  ['some claims are carried', 'code_change', 'partial', 1, 0],
  ['none of those it makes is', 'code_change', 'unverified', 1, 3],
  ['it makes none', 'no_code_change', 'unverified', 0, 0],
  ['nothing was found', 'inconclusive', 'verified', 0, 3],
] as const)('a verdict on an incident where %s', (_, verdict, status, refused, code) => {
  const incident = {
    verdict,
    stop_reason: 'finalized',
    non_validated_claims: Array(refused).fill(claim),
  } as const;
  expect(exitCodeOfIncident(incident, { status })).toBe(code);
});
