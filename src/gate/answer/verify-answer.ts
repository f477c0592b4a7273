/** Verifies the answer of any agent: re-reads its citations and checks its claims against them. */
import {
  type CheckedClaim,
  type CitationClaim,
  type CitationStatus,
  checkClaim,
  type TextReader,
} from '../../core/index.ts';
import { findPlaces, type NamedPlace } from '../claim/places.ts';
import { isLongQuote } from '../claim/terms.ts';
import type { Claim, ClaimFlag, ClaimSource, ClaimVerdict } from '../gate.ts';
import { findHeader } from '../lines/header.ts';
import { applyReading, claimsToRead } from '../reader/read-claims.ts';
import type { ClaimReader } from '../reader/reader.ts';
import { collapseSpaces, normalizeUnicode } from '../words/normal.ts';
import { checkPlacedClaims } from './check-claims.ts';
import type { PlacedClaim } from './place-claims.ts';
import { type ClaimsStatus, summarizeVerdicts } from './status.ts';

export interface GivenAnswer {
  /** Markdown. A sentence cites by `[1]`, the number of a citation, or by `path:start-end`. */
  readonly answer: string;
  readonly citations: readonly CitationClaim[];
  readonly question?: string;
}

/** too_short: the quote could be from any text. */
export type AnswerCitationStatus = CitationStatus | 'too_short';

export interface VerifiedAnswer {
  readonly status: ClaimsStatus;
  readonly claims: readonly VerifiedAnswerClaim[];
  /** The given citations in their order, and then other places that the answer names. */
  readonly citations: readonly { readonly status: AnswerCitationStatus; readonly reason?: string }[];
  /** Why the model did not decide all claims that code left undecided; absent if it did, or if there is no model. */
  readonly note?: string;
}

export interface VerifiedAnswerClaim {
  readonly text: string;
  readonly verdict: ClaimVerdict;
  readonly why?: string;
  /** Numbers, from 1, of the citations that the claim was checked against. Empty if it was checked against all. */
  readonly citations: readonly number[];
  readonly flags: readonly ClaimFlag[];
}

export interface VerifyAnswerPorts {
  readonly reader: TextReader;
  /** The same files with secrets masked, for display; absent: they are displayed unchanged. */
  readonly shown?: TextReader;
  /** Replaces the gate's own check of one citation. */
  readonly check?: (claim: CitationClaim) => Promise<CheckedClaim>;
  /** Decides the claims that code could not decide, from the displayed lines. If absent, they stay undecided. */
  readonly readClaims?: ClaimReader;
}

/** Maximum number of named places that are read in addition to the citations. */
const maxNamedPlaces = 200;

export async function verifyAnswer(
  givenAnswer: GivenAnswer,
  ports: VerifyAnswerPorts,
): Promise<VerifiedAnswer> {
  const given = { ...givenAnswer, citations: [...givenAnswer.citations, ...findNamedPlaces(givenAnswer)] };
  const { reader, shown = reader, check, readClaims } = ports;
  const { sources, citations } = await readCited(given, { reader, check });
  const answer = replaceMarkers(given.answer, given.citations);
  const { question } = given;
  const weigh = (claimSources: readonly ClaimSource[]) => ({
    sources: claimSources,
    claims: checkPlacedClaims({ answer, sources: claimSources, ...(question !== undefined && { question }) }),
  });
  const lines = await Promise.all(
    sources.map((source) => readSource(given.citations[toCitationNumber(source.id) - 1]!, source.id, shown)),
  );
  const byCode = weigh(sources);
  const isSame = lines.every(({ content, header }, index) => {
    const claimSource = sources[index]!;
    return claimSource.content === content && claimSource.header === header;
  });
  const weighed = {
    sources: lines,
    claims: isSame ? byCode.claims : hideSecrets(byCode.claims, weigh(lines).claims),
  };
  const open = readClaims === undefined ? [] : claimsToRead(weighed);
  const reply = open.length === 0 ? null : await readClaims!(open);
  const { claims: read } = reply === null ? weighed : applyReading(weighed, reply);
  const claims = read.map(({ claim }) => claim);
  const note = reply?.kind === 'failed' ? reply.message : reply?.left;
  return {
    ...{ status: summarizeVerdicts(claims), claims: claims.map(numberClaim), citations },
    ...(note !== undefined && { note }),
  };
}

/** The places that the answer names and that no citation contains. */
function findNamedPlaces({ answer, citations }: GivenAnswer): readonly CitationClaim[] {
  const found = new Map<string, CitationClaim>();
  for (const place of findPlaces(answer)) {
    const { path, start, end } = place;
    if (found.size === maxNamedPlaces) break;
    if (citations.some((citation) => isWithinCitation(citation, place))) continue;
    found.set(`${path}:${start}-${end}`, { path, start, end });
  }
  return [...found.values()];
}

/** Verdicts come from the original lines; their reasons quote the displayed ones. */
function hideSecrets(
  claims: readonly PlacedClaim[],
  placedClaims: readonly PlacedClaim[],
): readonly PlacedClaim[] {
  return claims.map((placed, index) => {
    const { claim } = placed;
    const other = placedClaims[index]?.claim;
    // The author never saw the secret: the claim is judged by the displayed lines.
    if (other !== undefined && claim.text.includes('[secret:')) return placedClaims[index]!;
    if (claim.why === other?.why) return placed;
    const why = claim.verdict === other?.verdict ? other.why : 'The lines that decide it contain a secret.';
    return { ...placed, claim: { ...claim, ...(why !== undefined && { why }) } };
  });
}

async function readCited(
  { citations: cited }: GivenAnswer,
  {
    reader,
    check,
  }: Pick<VerifyAnswerPorts, 'reader'> & { readonly check: VerifyAnswerPorts['check'] | undefined },
): Promise<{ readonly sources: readonly ClaimSource[]; readonly citations: VerifiedAnswer['citations'] }> {
  const sources: ClaimSource[] = [];
  const citations: VerifiedAnswer['citations'][number][] = [];
  for (const [index, citation] of cited.entries()) {
    const exactCheck = await (check?.(citation) ?? checkClaim(citation, reader));
    const isRespelled = exactCheck.status === 'quote_not_found' && (await holdsQuote(citation, reader));
    const checked: CheckedClaim = isRespelled ? { status: 'valid' } : exactCheck;
    const isShort =
      checked.status === 'valid' && citation.quote !== undefined && !isLongQuote(citation.quote);
    citations.push(
      isShort
        ? { status: 'too_short', reason: tooShort }
        : { status: checked.status, ...(checked.reason !== undefined && { reason: checked.reason }) },
    );
    if (checked.status === 'valid') sources.push(await readSource(citation, toEvidenceId(index), reader));
  }
  return { sources, citations };
}

/**
 * Whether the lines hold the quote in another spelling: models write typographic quotation marks, hyphens and spaces
 * for plain ones, and the other way round.
 */
async function holdsQuote(
  { path, start, end, commit, quote = '' }: CitationClaim,
  reader: TextReader,
): Promise<boolean> {
  const file = await reader.readText(path, commit ?? null);
  if (file.kind !== 'text') return false;
  return collapseSpaces(normalizeUnicode(file.lines.slice(start - 1, end).join('\n'))).includes(
    collapseSpaces(normalizeUnicode(quote)),
  );
}

const tooShort = 'A quote under 8 characters or 2 words could be from any text.';

const toEvidenceId = (index: number): string => `ev-${(index + 1).toString(16).padStart(10, '0')}`;
const toCitationNumber = (id: string): number => Number.parseInt(id.slice(3), 16);

function numberClaim({ text, verdict, why, evidence, flags }: Claim): VerifiedAnswerClaim {
  return {
    text,
    verdict,
    ...(why !== undefined && { why }),
    citations: evidence.map(toCitationNumber),
    flags,
  };
}

async function readSource(
  { path, start, end, commit }: CitationClaim,
  id: string,
  reader: TextReader,
): Promise<ClaimSource> {
  const file = await reader.readText(path, commit ?? null);
  const lines = file.kind === 'text' ? file.lines : [];
  const header = findHeader(lines, start, path);
  return {
    id,
    path,
    start,
    end,
    content: lines.slice(start - 1, end).join('\n'),
    ...(header !== '' && { header }),
  };
}

const marker = /(?:\[\^?|【)\s*(\d{1,3}(?:\s*[,;、]\s*\^?\d{1,3})*)\s*[\]】](?!\()/g;

/**
 * Replaces `[1]` markers and cited `path:start-end` places in the answer by evidence ids, which the gate understands.
 */
function replaceMarkers(answer: string, citations: readonly CitationClaim[]): string {
  const numbers = answer.replace(marker, (whole, list: string) => {
    const ids = list.split(/[,;、]/).map((one) => Number(one.replace(/[\s^]/g, '')) - 1);
    return ids.every((index) => index >= 0 && index < 1_000)
      ? `[${ids.map(toEvidenceId).join(', ')}]`
      : whole;
  });
  let text = '';
  let from = 0;
  for (const place of findPlaces(numbers)) {
    const index = citations.findIndex((citation) => isWithinCitation(citation, place));
    if (index < 0 || place.endOffset < from) continue;
    const open = place.before.length;
    const [before, behind] = [numbers.slice(from, open), numbers.slice(place.endOffset)];
    const bracket = /[[(]\s*`?$/.exec(before)?.[0] ?? '';
    const close = bracket === '' ? '' : (/^`?\s*[\])]/.exec(behind)?.[0] ?? '');
    // A place in brackets is a marker. Any other place belongs to the sentence that cites it.
    if (bracket !== '' && close !== '') {
      text += `${before.slice(0, before.length - bracket.length)}[${toEvidenceId(index)}]`;
      from = place.endOffset + close.length;
    } else {
      const tail = /^[`'"]*/.exec(behind)![0];
      text += `${before}${numbers.slice(open, place.endOffset)}${tail} [${toEvidenceId(index)}]`;
      from = place.endOffset + tail.length;
    }
  }
  return text + numbers.slice(from);
}

function isWithinCitation(citation: CitationClaim, { path, start, end }: NamedPlace): boolean {
  const isSame =
    citation.path === path || citation.path.endsWith(`/${path}`) || path.endsWith(`/${citation.path}`);
  return isSame && citation.start <= start && citation.end >= end;
}
