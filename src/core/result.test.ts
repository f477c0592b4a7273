import { expect, it } from 'vitest';
import { type StopReason, stopReasons, type Verification, verdictOf } from './result.ts';

const cases: readonly (readonly [Verification, boolean, StopReason, Verification])[] = [
  ['verified', true, 'finalized', 'verified'],
  ['partial', true, 'finalized', 'partial'],
  ['unverified', true, 'finalized', 'unverified'],
  ['verified', true, 'budget', 'partial'],
  ['verified', true, 'stagnant', 'partial'],
  ['unverified', true, 'budget', 'unverified'],
  ['verified', false, 'finalized', 'quotes'],
  ['partial', false, 'finalized', 'quotes'],
  ['verified', false, 'model_failed', 'quotes'],
  ['verified', false, 'cancelled', 'quotes'],
  ['unverified', false, 'model_failed', 'unverified'],
];
it.each(cases)('what the gate calls %s, answered: %s, ended: %s, is %s', (gated, answered, stop, verdict) => {
  expect(verdictOf(gated, { answered, stop })).toBe(verdict);
});

it('is never verified where nobody answered, or where the run was cut short', () => {
  for (const stop of stopReasons)
    for (const answered of [true, false])
      if (stop !== 'finalized' || !answered)
        expect(verdictOf('verified', { answered, stop })).not.toBe('verified');
});
