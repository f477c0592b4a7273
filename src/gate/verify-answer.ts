/** The answer of anybody's agent: its citations read again, its claims held against what they cite. */
import { placesIn } from '../core/answers.ts';
import {
  type CheckedClaim,
  type CitationClaim,
  type CitationStatus,
  checkClaim,
  type NamedPlace,
  type TextReader,
} from '../core/index.ts';
import { checkClaims } from './check-claims.ts';
import type { Claim, ClaimFlag, ClaimSource, ClaimVerdict } from './gate.ts';
import { headerOf } from './header.ts';
import { type ClaimsStatus, statusOf } from './status.ts';
import { isLongQuote } from './terms.ts';

export interface GivenAnswer {
  /** Markdown. A sentence cites by `[1]`, the number of a citation, or by `path:start-end`. */
  readonly answer: string;
  readonly citations: readonly CitationClaim[];
  readonly question?: string;
}

/** too_short: a quote that says too little to be told from any other text. */
export type AnswerCitationStatus = CitationStatus | 'too_short';

export interface VerifiedAnswer {
  readonly status: ClaimsStatus;
  readonly claims: readonly VerifiedAnswerClaim[];
  /** In the order given. */
  readonly citations: readonly { readonly status: AnswerCitationStatus; readonly reason?: string }[];
}

export interface VerifiedAnswerClaim {
  readonly text: string;
  readonly verdict: ClaimVerdict;
  readonly why?: string;
  /** Numbers of the citations that it was held against, from 1; empty where that were all. */
  readonly citations: readonly number[];
  readonly flags: readonly ClaimFlag[];
}

export interface VerifyAnswerPorts {
  readonly reader: TextReader;
  /** In place of the gate's own check of one citation. */
  readonly check?: (claim: CitationClaim) => Promise<CheckedClaim>;
}

export async function verifyAnswer(
  given: GivenAnswer,
  { reader, check }: VerifyAnswerPorts,
): Promise<VerifiedAnswer> {
  const sources: ClaimSource[] = [];
  const citations: VerifiedAnswer['citations'][number][] = [];
  for (const [index, citation] of given.citations.entries()) {
    const checked = await (check?.(citation) ?? checkClaim(citation, reader));
    const isShort =
      checked.status === 'valid' && citation.quote !== undefined && !isLongQuote(citation.quote);
    citations.push(
      isShort
        ? { status: 'too_short', reason: tooShort }
        : { status: checked.status, ...(checked.reason !== undefined && { reason: checked.reason }) },
    );
    if (checked.status === 'valid') sources.push(await sourceOf(citation, index, reader));
  }
  const { question } = given;
  const claims = checkClaims({
    answer: withIds(given.answer, given.citations),
    sources,
    ...(question !== undefined && { question }),
  });
  return { status: statusOf(claims), claims: claims.map(numberClaim), citations };
}

const tooShort = 'A quote under 8 characters or 2 words could stand anywhere.';

const idOf = (index: number): string => `ev-${(index + 1).toString(16).padStart(10, '0')}`;
const numberOf = (id: string): number => Number.parseInt(id.slice(3), 16);

function numberClaim({ text, verdict, why, evidence, flags }: Claim): VerifiedAnswerClaim {
  return { text, verdict, ...(why !== undefined && { why }), citations: evidence.map(numberOf), flags };
}

async function sourceOf(
  { path, start, end, commit }: CitationClaim,
  index: number,
  reader: TextReader,
): Promise<ClaimSource> {
  const file = await reader.readText(path, commit ?? null);
  const lines = file.kind === 'text' ? file.lines : [];
  const header = headerOf(lines, start, path);
  return {
    id: idOf(index),
    path,
    start,
    end,
    content: lines.slice(start - 1, end).join('\n'),
    ...(header !== '' && { header }),
  };
}

const marker = /(?:\[\^?|【)\s*(\d{1,3}(?:\s*[,;、]\s*\^?\d{1,3})*)\s*[\]】](?!\()/g;

/** Markers of numbers, and places of files that are cited, as the ids that the gate knows. */
function withIds(answer: string, citations: readonly CitationClaim[]): string {
  const numbers = answer.replace(marker, (whole, list: string) => {
    const ids = list.split(/[,;、]/).map((one) => Number(one.replace(/[\s^]/g, '')) - 1);
    return ids.every((index) => index >= 0 && index < 1_000) ? `[${ids.map(idOf).join(', ')}]` : whole;
  });
  let text = '';
  let from = 0;
  for (const place of placesIn(numbers)) {
    const index = citations.findIndex((citation) => isAt(citation, place));
    if (index < 0 || place.at < from) continue;
    const open = place.before.length;
    const [before, behind] = [numbers.slice(from, open), numbers.slice(place.at)];
    const bracket = /[[(]\s*`?$/.exec(before)?.[0] ?? '';
    const close = bracket === '' ? '' : (/^`?\s*[\])]/.exec(behind)?.[0] ?? '');
    // In brackets it is a marker; else it belongs to the sentence, which it cites.
    if (bracket !== '' && close !== '') {
      text += `${before.slice(0, before.length - bracket.length)}[${idOf(index)}]`;
      from = place.at + close.length;
    } else {
      const tail = /^[`'"]*/.exec(behind)![0];
      text += `${before}${numbers.slice(open, place.at)}${tail} [${idOf(index)}]`;
      from = place.at + tail.length;
    }
  }
  return text + numbers.slice(from);
}

function isAt(citation: CitationClaim, { path, start, end }: NamedPlace): boolean {
  const isSame =
    citation.path === path || citation.path.endsWith(`/${path}`) || path.endsWith(`/${citation.path}`);
  return isSame && citation.start <= start && citation.end >= end;
}
