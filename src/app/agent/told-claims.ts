/** Claims of a turn as its end tells them: all where there is room, else the worst with numbers. */
import type { SomeClaims } from '../../core/answers.ts';
import type { Claim } from '../../core/index.ts';

/** Bytes of an event that claims may take: all of them are with the turn's run. */
const maxBytes = 3_000;

export async function toldClaims(
  claims: readonly Claim[],
  redact: (text: string) => string,
): Promise<Partial<SomeClaims>> {
  if (claims.length === 0) return {};
  const { someClaims } = await import('../../core/answers.ts');
  const told = claims.map((claim) => ({
    ...{ ...claim, text: redact(claim.text) },
    ...(claim.why !== undefined && { why: redact(claim.why) }),
  }));
  return someClaims(told, maxBytes);
}
