/** Decides answers that consist of copied code or text, without loading the code that judges sentences. */
import { isAboutSearch } from '../claim/split-claims.ts';
import { decideText } from '../decide/decide-text.ts';
import { createSourceCache } from '../lines/source.ts';
import { type ClaimsRequest, type PlacedClaim, placeDecided } from './place-claims.ts';

/** The decided claims; null if some claim is a sentence that has to be judged. */
export function decideCopiedClaims(request: ClaimsRequest): readonly PlacedClaim[] | null {
  const { question = '', log, computed = null } = request;
  if (computed !== null) return null;
  const sourceFor = createSourceCache(question);
  return placeDecided(request, ({ text, kind, sources: used, evidence }) =>
    (kind !== 'code' && kind !== 'quote') || used.length === 0 || (log !== undefined && isAboutSearch(text))
      ? null
      : { ...decideText(text, kind, sourceFor(used)), evidence },
  );
}
