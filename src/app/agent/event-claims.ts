/** The claims in a turn's last event: all if they fit, otherwise the worst and their counts. */
import type { FittedClaims } from '../../core/answers.ts';
import type { Claim } from '../../core/index.ts';

/** Bytes for claims in an event; the run of the turn has all of them. */
const maxBytes = 3_000;

export async function claimsForEvent(
  claims: readonly Claim[],
  redact: (text: string) => string,
): Promise<Partial<FittedClaims>> {
  if (claims.length === 0) return {};
  const { fitClaims } = await import('../../core/answers.ts');
  const redacted = claims.map((claim) => ({
    ...{ ...claim, text: redact(claim.text) },
    ...(claim.why !== undefined && { why: redact(claim.why) }),
  }));
  return fitClaims(redacted, maxBytes);
}
