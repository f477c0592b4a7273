/** The verdict on an answer, from the verdicts of its claims. */
import { type Claim, isRefused, isSupported } from '../gate.ts';

export type ClaimsStatus = 'verified' | 'partial' | 'unverified';

/** verified: every claim is supported; partial: some are; unverified: none is. */
export function summarizeVerdicts(claims: readonly Pick<Claim, 'verdict'>[]): ClaimsStatus {
  const supported = claims.filter(isSupported).length;
  if (supported === 0) return 'unverified';
  return supported === claims.length ? 'verified' : 'partial';
}

/** The texts of the claims that the lines contradict or do not show. */
export const findUnsupported = (claims: readonly Claim[]): readonly string[] =>
  claims.filter(isRefused).map(({ text }) => text);
