/** Turns an answer and its possible sources into claims with verdicts, by code alone. */

import { type ClaimText, isAboutSearch } from '../claim/split-claims.ts';
import { decideComputed, findComputedFigures, listTexts } from '../computed/computed-text.ts';
import { decide } from '../decide/decide.ts';
import { decideText } from '../decide/decide-text.ts';
import type { Claim, ClaimSource, RunLogView } from '../gate.ts';
import { createSourceCache, type Source } from '../lines/source.ts';
import { decideBySearch, decideNoUsers } from '../search/about-search.ts';
import { findAbsence } from '../search/absence.ts';
import { type ClaimsRequest, type PlacedClaim, placeClaims } from './place-claims.ts';

/**
 * Maximum number of claims of one answer that are checked, which takes about ten seconds. The rest is reported as
 * unchecked.
 */
const maxClaims = 1_000;

/** Claims without citations are checked against everything that the answer may rest on. */
export const checkClaims = (request: ClaimsRequest): readonly Claim[] =>
  checkPlacedClaims(request).map(({ claim }) => claim);

export function checkPlacedClaims(request: ClaimsRequest): readonly PlacedClaim[] {
  const { question = '', log, computed = null } = request;
  const sourceFor = createSourceCache(question);
  return placeClaims(request, ({ index, sources: used, evidence, ...found }) => {
    const figures = computed === null ? null : findComputedFigures(found.text, computed);
    const decideByComputation = () =>
      figures && {
        ...decideComputed(found.text, figures, used.length > 0 ? sourceFor(used) : null),
        evidence,
      };
    const judged =
      index < maxClaims
        ? (decideByComputation() ?? checkBySearch(found, used, log) ?? check(found, used, sourceFor, log))
        : ({ verdict: 'unclear', why: tooMany, evidence } as const);
    return figures === null ? judged : { ...judged, computed: listTexts(figures.figures) };
  });
}

const tooMany = `Only the first ${maxClaims} claims of an answer are checked.`;

/** Decides a claim that cites searches and no lines; null for any other claim. */
function checkBySearch(
  { text, ids }: ClaimText,
  used: readonly ClaimSource[],
  log: RunLogView | undefined,
): Pick<Claim, 'verdict' | 'why' | 'evidence'> | null {
  const searches = (log?.searches ?? []).filter(({ id }) => ids.includes(id));
  if (log === undefined || searches.length === 0 || used.length > 0) return null;
  const bySearch = decideBySearch(text, { ...log, searches });
  const why = 'It cites only a search, and says more than that nothing was found.';
  return bySearch ?? { verdict: 'unclear', why, evidence: searches.map(({ id }) => id) };
}

const isDecided = (text: string, verdict: Claim['verdict']): boolean =>
  verdict !== 'unclear' && findAbsence(text)?.isOfAll === true;

function check(
  { text, kind, ids }: ClaimText,
  used: readonly ClaimSource[],
  sourceFor: (used: readonly ClaimSource[]) => Source,
  log: RunLogView | undefined,
): Pick<Claim, 'verdict' | 'why' | 'evidence'> {
  if (log !== undefined && isAboutSearch(text)) {
    const bySearch = decideBySearch(text, log);
    // Lines that the claim also cites can't show an absence. If a search settles the claim, they are not needed.
    if (bySearch !== null && (ids.length === 0 || isDecided(text, bySearch.verdict))) return bySearch;
  }
  const evidence = ids.length === 0 ? [] : used.map(({ id }) => id);
  if (used.length === 0)
    return ids.length === 0
      ? { verdict: 'unclear', why: 'There is no source to check it against.', evidence }
      : { verdict: 'not shown', why: 'What it cites could not be confirmed.', evidence };
  const source = sourceFor(used);
  const decided = kind === 'code' || kind === 'quote' ? decideText(text, kind, source) : decide(text, source);
  const listed = decided.verdict === 'unclear' && kind !== 'code' ? decideNoUsers(text, used) : null;
  return { ...(listed ?? decided), evidence };
}
