/** Locates the claims of an answer. Verdicts that were decided elsewhere are kept; the caller decides the others. */
import type { ComputedAnswer } from '../../core/index.ts';
import { type ClaimText, splitClaims } from '../claim/split-claims.ts';
import type { Claim, ClaimSource, RunLogView } from '../gate.ts';
import { findFlags } from '../reader/flags.ts';
import { collapseSpaces } from '../words/normal.ts';

export interface ClaimsRequest {
  /** Markdown, with markers of evidence: `[ev-0123456789]`. */
  readonly answer: string;
  readonly sources: readonly ClaimSource[];
  /** The question; its terms count as known. */
  readonly question?: string;
  /** The log of the run that gave the answer. Without it, sentences about the search stay unclear. */
  readonly log?: RunLogView;
  /**
   * Texts that the program itself added to the answer, such as an introduction: they claim nothing about the material.
   */
  readonly framing?: readonly string[];
  /** The verdict decided elsewhere for a claim with this text; null for none. */
  readonly decided?: (text: string, evidence: readonly string[]) => Pick<Claim, 'verdict' | 'why'> | null;
  /** For an answer that a cell composed: the parts that the cell computed. */
  readonly computed?: ComputedAnswer | null;
}

/** A claim, and its offsets in the answer as `claimText` returns it. */
export interface PlacedClaim {
  readonly claim: Claim;
  readonly at: Pick<ClaimText, 'kind' | 'start' | 'end'>;
  /** Figures of the claim that a cell computed. The lines need not contain them. */
  readonly computed?: string;
}

/** A claim without a verdict, and the sources that it is checked against. */
export interface OpenClaim extends ClaimText {
  /** The index of the claim in the answer, from 0. */
  readonly index: number;
  readonly sources: readonly ClaimSource[];
  /** Ids of its citations that exist. */
  readonly evidence: readonly string[];
}

export type PlacedVerdict = Pick<Claim, 'verdict' | 'why' | 'evidence'> & Pick<PlacedClaim, 'computed'>;

/** Locates claims. A claim without citations is checked against all sources of the answer. */
export function placeClaims(
  { answer, sources, framing = [], decided }: ClaimsRequest,
  judge: (open: OpenClaim) => PlacedVerdict,
): readonly PlacedClaim[] {
  const byId = new Map(sources.map((source) => [source.id, source]));
  const framingTexts = framing.map(collapseSpaces);
  return splitClaims(answer).flatMap((found, index): readonly PlacedClaim[] => {
    const { text, ids, kind, start, end } = found;
    if (ids.length === 0 && framingTexts.some((one) => one.includes(collapseSpaces(text)))) return [];
    const used = ids.length === 0 ? sources : ids.flatMap((id) => byId.get(id) ?? []);
    const evidence = ids.length === 0 ? [] : used.map(({ id }) => id);
    const known = decided?.(text, evidence) ?? null;
    const { computed, ...verdict }: PlacedVerdict =
      known === null ? judge({ ...found, index, sources: used, evidence }) : { ...known, evidence };
    const claim = Object.freeze({ text, ...verdict, flags: findFlags(text, used) });
    return [{ claim, at: { kind, start, end }, ...(computed !== undefined && { computed }) }];
  });
}

/** Locates claims with the verdicts of `judge` and those decided elsewhere. Null if a claim remains undecided. */
export function placeDecided(
  request: ClaimsRequest,
  judge: (open: OpenClaim) => PlacedVerdict | null,
): readonly PlacedClaim[] | null {
  let undecided = 0;
  const placed = placeClaims(request, (open) => {
    const placedVerdict = judge(open);
    if (placedVerdict === null) undecided += 1;
    return placedVerdict ?? { verdict: 'unclear', evidence: open.evidence };
  });
  return undecided === 0 ? placed : null;
}
