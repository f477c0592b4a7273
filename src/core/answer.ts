/**
 * The gate of a whole answer: each citation in it is read again, what can't be confirmed is marked where it
 * stands, and the answer is cut to its size. Deterministic, and no model takes part.
 *
 * A citation carries its own sentence, list item, row or block. Beyond that it carries, and only where they
 * share words with the evidence and it holds every name and number they give:
 * - the uncited sentences before it in a paragraph (or item) whose last sentence it stands in, back to the
 *   next one with a citation of its own;
 * - the uncited items, block quote or block of code that its sentence introduces with a colon.
 * Text in quotation marks (three words or more), block quotes and blocks of code must stand in the evidence.
 * Lines that the text names must lie within a confirmed citation. What is a claim says `answer-claims.ts`.
 *
 * Gating a gated answer changes nothing.
 */
import { type AnswerLimits, cutAnswer, fits, listReferred } from './answer-fit.ts';
import { mentionsIn, withNotices, withoutNotices } from './answer-marks.ts';
import { isCovered, placesIn } from './answer-places.ts';
import { rewrite, shortSentence } from './answer-rewrite.ts';
import { closeFence, unitsOf } from './answer-units.ts';
import { carriersOf, carries, type Known, weigh } from './answer-weigh.ts';
import type { Citation, CitationStatus } from './citation.ts';
import type { Evidence } from './evidence.ts';
import { checkCitations } from './gate.ts';
import type { TextReader } from './material.ts';
import type { Verification } from './result.ts';
import { type ReadTrail, trailOf } from './trail.ts';

export interface AnswerRequest {
  readonly text: string;
  /** What the run has registered. An id that is not among it was never read. */
  readonly evidence: readonly Evidence[];
  /** Default: the trail that the evidence leaves. */
  readonly trail?: ReadTrail;
  readonly reader: TextReader;
  /** 0 to 1, of who wrote the answer; null where nobody judged it. */
  readonly confidence?: number | null;
  /** Texts of the program's own in the answer, such as a lead-in. They claim nothing about the material. */
  readonly framing?: readonly string[];
  readonly limits?: AnswerLimits;
}

export interface GatedAnswer {
  readonly status: Verification;
  readonly answer: string;
  /** Confirmed, and referred to by the answer, in the order of their first mention. */
  readonly citations: readonly Citation[];
  /** The sentences that are marked, without their marks. */
  readonly unsupported: readonly string[];
  /** The share of claims that kept their support, of those that came with a hope of any, times what was given. */
  readonly confidence: number | null;
  /** Every id that the text cited, and what became of it; a quote that failed counts against it. */
  readonly checked: readonly { readonly id: string; readonly status: CitationStatus }[];
}

/** Characters. A model that writes more than this has lost its way; the rest is cut before it is looked at. */
const maxTextLength = 65_536;
const maxPasses = 12;

export async function gateAnswer(request: AnswerRequest): Promise<GatedAnswer> {
  const { text: given, evidence, reader, limits = {}, framing = [] } = request;
  const bare = withoutNotices(given.slice(0, maxTextLength));
  const known = await checkAll(bare.text, evidence, request.trail ?? trailOf(evidence), reader);
  const failedQuotes = new Set<string>();
  let confidence = request.confidence ?? null;
  let answer = given.slice(0, maxTextLength);
  for (let pass = 1; ; pass += 1) {
    const { text, left } = withoutNotices(answer);
    const marked = markUnits(closeFence(text), known, framing, failedQuotes);
    const status = statusOf(marked);
    if (confidence !== null) confidence = round(confidence * marked.share);
    const noticed = withNotices(marked.text, status === 'unverified', left);
    const next = cutAnswer(noticed, marked.citations, limits, status === 'unverified');
    // Marking and cutting may each call for the other: it ends when neither changes anything.
    if (next !== answer && pass < maxPasses) {
      answer = next;
      continue;
    }
    const citations = listReferred(next, marked.citations);
    const cited = new Set(citations.map(({ id }) => id));
    return Object.freeze({
      status,
      answer: fits(next, citations, limits) ? next : withNotices('', true, left + 1),
      citations: Object.freeze(citations),
      unsupported: Object.freeze(marked.unsupported),
      confidence: confidence !== null && marked.supported === 0 ? 0 : confidence,
      checked: Object.freeze(
        [...known].map(([id, { status: found }]) => ({
          id,
          status:
            found === 'valid' && failedQuotes.has(id) && !cited.has(id)
              ? ('quote_not_found' as const)
              : found,
        })),
      ),
    });
  }
}

async function checkAll(
  text: string,
  evidence: readonly Evidence[],
  trail: ReadTrail,
  reader: TextReader,
): Promise<ReadonlyMap<string, Known>> {
  const byId = new Map(evidence.map((item) => [item.id, item]));
  const ids = [...new Set(mentionsIn(text).flatMap((mention) => mention.ids))];
  const checked = await checkCitations(
    ids.flatMap((id) => byId.get(id) ?? []),
    trail,
    reader,
  );
  const statuses = new Map(checked.map((item) => [item.evidence.id, item.status]));
  return new Map(
    ids.map((id) => [id, { evidence: byId.get(id) ?? null, status: statuses.get(id) ?? 'not_read' }]),
  );
}

interface Marked {
  readonly text: string;
  readonly citations: readonly Citation[];
  readonly unsupported: readonly string[];
  readonly claims: number;
  readonly supported: number;
  /** Of the claims not marked before, how many keep their support. 1 where there was none to lose. */
  readonly share: number;
}

function markUnits(
  text: string,
  known: ReadonlyMap<string, Known>,
  framing: readonly string[],
  failedQuotes: Set<string>,
): Marked {
  const units = unitsOf(text).map((unit) => weigh(unit, text, known, framing, failedQuotes));
  const confirmed = [...new Map(units.flatMap(({ kept }) => kept).map((item) => [item.id, item])).values()];
  const carriers = carriersOf(units);
  let result = '';
  let from = 0;
  const unsupported: string[] = [];
  let claims = 0;
  let supported = 0;
  let fresh = 0;
  for (const [index, weighed] of units.entries()) {
    const { unit, isMarked } = weighed;
    const strays = isMarked ? [] : placesIn(weighed.text).filter((place) => !isCovered(place, confirmed));
    const lost = weighed.mentions.length > 0 && weighed.kept.length === 0;
    const isCarried =
      weighed.kept.length > 0 || carriers[index]!.some((carrier) => carries(carrier, weighed));
    const counts = weighed.isClaim || lost || isMarked || strays.length > 0;
    const stands = !isMarked && !lost && strays.length === 0 && isCarried;
    if (counts) claims += 1;
    if (counts && stands) supported += 1;
    if (counts && !isMarked) fresh += 1;
    if (counts && !stands) unsupported.push(shortSentence(weighed));
    result += text.slice(from, unit.start) + rewrite(weighed, known, counts && !stands, strays);
    from = unit.end;
  }
  return {
    text: result + text.slice(from),
    citations: confirmed.map(citationOf),
    unsupported,
    claims,
    supported,
    share: fresh === 0 ? 1 : supported / fresh,
  };
}

function statusOf({ claims, supported }: Marked): Verification {
  if (supported === 0) return 'unverified';
  return supported === claims ? 'verified' : 'partial';
}

function citationOf(evidence: Evidence): Citation {
  return Object.freeze({
    id: evidence.id,
    path: evidence.file_path,
    start_line: evidence.start_line,
    end_line: evidence.end_line,
    provenance: evidence.provenance,
    hash: evidence.hash,
    status: 'valid',
  });
}

/** To the third decimal: a confidence is no measurement. */
function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
