/** An answer and what it may rest on, as claims with verdicts. By code alone. */
import { decideBySearch } from './about-search.ts';
import { type ClaimText, claimsOf, isAboutSearch } from './claims-of.ts';
import { decide, decideText } from './decide.ts';
import { flagsOf } from './flags.ts';
import { type Claim, type ClaimSource, isCarried, isRefused, type RunLogView } from './gate.ts';
import { type Source, sourceOf } from './source.ts';

export interface ClaimsRequest {
  /** Markdown, with markers of evidence: `[ev-0123456789]`. */
  readonly answer: string;
  readonly sources: readonly ClaimSource[];
  /** Its terms count as known. */
  readonly question?: string;
  /** Of the run that gave the answer. Without it, sentences about the search stay unclear. */
  readonly log?: RunLogView;
}

export type ClaimsStatus = 'verified' | 'partial' | 'unverified';

/** Claims that cite nothing are held against all that the answer may rest on. */
export function checkClaims({ answer, sources, question = '', log }: ClaimsRequest): readonly Claim[] {
  const byId = new Map(sources.map((source) => [source.id, source]));
  const prepared = new Map<string, Source>();
  const sourceFor = (used: readonly ClaimSource[]): Source => {
    const key = used.map(({ id }) => id).join(' ');
    const known = prepared.get(key) ?? sourceOf(used, question);
    prepared.set(key, known);
    return known;
  };
  return claimsOf(answer).map((claim): Claim => {
    const cited = claim.ids.flatMap((id) => byId.get(id) ?? []);
    const used = claim.ids.length === 0 ? sources : cited;
    const checked = check(claim, used, sourceFor, log);
    return Object.freeze({ text: claim.text, ...checked, flags: flagsOf(claim.text, used) });
  });
}

function check(
  { text, kind, ids }: ClaimText,
  used: readonly ClaimSource[],
  sourceFor: (used: readonly ClaimSource[]) => Source,
  log: RunLogView | undefined,
): Pick<Claim, 'verdict' | 'why' | 'evidence'> {
  if (log !== undefined && ids.length === 0 && isAboutSearch(text)) {
    const bySearch = decideBySearch(text, log);
    if (bySearch !== null) return bySearch;
  }
  const evidence = ids.length === 0 ? [] : used.map(({ id }) => id);
  if (used.length === 0)
    return ids.length === 0
      ? { verdict: 'unclear', why: 'There is nothing that it could be held against.', evidence }
      : { verdict: 'not shown', why: 'What it cites could not be confirmed.', evidence };
  const source = sourceFor(used);
  const decided = kind === 'code' || kind === 'quote' ? decideText(text, kind, source) : decide(text, source);
  return { ...decided, evidence };
}

/** verified: every claim is carried; partial: some are; unverified: none is. */
export function statusOf(claims: readonly Claim[]): ClaimsStatus {
  const carried = claims.filter(isCarried).length;
  if (carried === 0) return 'unverified';
  return carried === claims.length ? 'verified' : 'partial';
}

/** The texts of what the lines contradict or do not show, and of nothing else. */
export const unsupportedIn = (claims: readonly Claim[]): readonly string[] =>
  claims.filter(isRefused).map(({ text }) => text);
