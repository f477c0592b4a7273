import { expect, test } from 'vitest';
import type { Claim } from '../../core/index.ts';
import { claimsForEvent } from './event-claims.ts';

const claim = (text: string, verdict: Claim['verdict']): Claim => ({
  text,
  verdict,
  evidence: [],
  flags: [],
});

test('an answer without claims tells of none', async () => {
  expect(await claimsForEvent([], String)).toEqual({});
});

test('few are told as they are, without secrets', async () => {
  const told = await claimsForEvent([claim('The key is sk-1.', 'shown')], (text) =>
    text.replace('sk-1', '***'),
  );
  expect(told).toEqual({ claims: [claim('The key is ***.', 'shown')] });
});

test('of many the worst come first, and all are counted', async () => {
  const many = Array.from({ length: 90 }, (_, at) =>
    claim(`Claim ${at} says this and that of it.`, at % 9 === 8 ? 'contradicted' : 'shown'),
  );
  const told = await claimsForEvent(many, String);
  expect(Buffer.byteLength(JSON.stringify(told.claims))).toBeLessThanOrEqual(3_000);
  expect(told.claims!.slice(0, 10).every(({ verdict }) => verdict === 'contradicted')).toBe(true);
  expect(told.claim_counts).toEqual({ contradicted: 10, shown: 80 });
});
