/** The claims in the last event of a turn: all if they fit, otherwise the worst ones, with counts of all. */
import type { FittedClaims } from '../../core/answers.ts';
import type { Claim } from '../../core/index.ts';

/** Maximum bytes of the claims in an event. The run of the turn stores all of them. */
const maxBytes = 3_000;

export async function claimsForEvent(
  claims: readonly Claim[],
  redact: (text: string) => string,
): Promise<Partial<FittedClaims>> {
  if (claims.length === 0) return {};
  const { fitClaims } = await import('../../core/answers.ts');
  const redactedClaims = claims.map((claim) => ({
    ...{ ...claim, text: redact(claim.text) },
    ...(claim.why !== undefined && { why: redact(claim.why) }),
  }));
  return fitClaims(redactedClaims, maxBytes);
}
