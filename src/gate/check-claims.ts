/** An answer and what it may rest on, as claims with verdicts. By code alone. */
import type { ComputedAnswer } from '../core/index.ts';
import { decideBySearch } from './about-search.ts';
import { type ClaimText, claimsOf, isAboutSearch } from './claims-of.ts';
import { computedFigures, decideComputed, listTexts } from './computed-text.ts';
import { decide, decideText } from './decide.ts';
import { flagsOf } from './flags.ts';
import type { Claim, ClaimSource, RunLogView } from './gate.ts';
import { flat } from './normal.ts';
import { type Source, sourceOf } from './source.ts';

export interface ClaimsRequest {
  /** Markdown, with markers of evidence: `[ev-0123456789]`. */
  readonly answer: string;
  readonly sources: readonly ClaimSource[];
  /** Its terms count as known. */
  readonly question?: string;
  /** Of the run that gave the answer. Without it, sentences about the search stay unclear. */
  readonly log?: RunLogView;
  /** Texts of the program's own in the answer, such as a lead-in: they claim nothing about the material. */
  readonly framing?: readonly string[];
  /** What was decided about a claim elsewhere, by its text; null where nothing was. */
  readonly decided?: (text: string, evidence: readonly string[]) => Pick<Claim, 'verdict' | 'why'> | null;
  /** Of an answer that a cell put together: what of it the cell computed. */
  readonly computed?: ComputedAnswer | null;
}

/** A claim, and where it stands in the answer as `claimText` gives it. */
export interface PlacedClaim {
  readonly claim: Claim;
  readonly at: Pick<ClaimText, 'kind' | 'start' | 'end'>;
  /** Figures in it that a cell computed: whoever reads the lines need not find them there. */
  readonly computed?: string;
}

/** Claims of one answer: about ten seconds. What comes after them is told, and not looked at. */
const maxClaims = 1_000;

/** Claims that cite nothing are held against all that the answer may rest on. */
export const checkClaims = (request: ClaimsRequest): readonly Claim[] =>
  placedClaims(request).map(({ claim }) => claim);

export function placedClaims(request: ClaimsRequest): readonly PlacedClaim[] {
  const { answer, sources, question = '', log, framing = [], decided, computed = null } = request;
  const byId = new Map(sources.map((source) => [source.id, source]));
  const prepared = new Map<string, Source>();
  const sourceFor = (used: readonly ClaimSource[]): Source => {
    const key = used.map(({ id }) => id).join(' ');
    const known = prepared.get(key) ?? sourceOf(used, question);
    prepared.set(key, known);
    return known;
  };
  const own = framing.map(flat);
  return claimsOf(answer).flatMap((found, index): readonly PlacedClaim[] => {
    const { text, ids, kind, start, end } = found;
    if (ids.length === 0 && own.some((one) => one.includes(flat(text)))) return [];
    const used = ids.length === 0 ? sources : ids.flatMap((id) => byId.get(id) ?? []);
    const evidence = ids.length === 0 ? [] : used.map(({ id }) => id);
    const known = decided?.(text, evidence) ?? null;
    const figures = known === null && computed !== null ? computedFigures(text, computed) : null;
    const byCell = () =>
      figures && { ...decideComputed(text, figures, used.length > 0 ? sourceFor(used) : null), evidence };
    const checked =
      known === null
        ? index < maxClaims
          ? (byCell() ?? checkedBySearch(found, used, log) ?? check(found, used, sourceFor, log))
          : ({ verdict: 'unclear', why: tooMany, evidence } as const)
        : { ...known, evidence };
    const claim = Object.freeze({ text, ...checked, flags: flagsOf(text, used) });
    const place = { claim, at: { kind, start, end } };
    return [figures === null ? place : { ...place, computed: listTexts(figures.figures) }];
  });
}

const tooMany = `An answer has its first ${maxClaims} claims checked.`;

/** A claim that cites searches, and no lines beside them. Null for any other. */
function checkedBySearch(
  { text, ids }: ClaimText,
  used: readonly ClaimSource[],
  log: RunLogView | undefined,
): Pick<Claim, 'verdict' | 'why' | 'evidence'> | null {
  const searches = (log?.searches ?? []).filter(({ id }) => ids.includes(id));
  if (log === undefined || searches.length === 0 || used.length > 0) return null;
  const bySearch = decideBySearch(text, { ...log, searches });
  const why = 'It cites a search, and says more than that nothing was met.';
  return bySearch ?? { verdict: 'unclear', why, evidence: searches.map(({ id }) => id) };
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
