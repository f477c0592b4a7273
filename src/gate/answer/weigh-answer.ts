/** Checks an answer by code: re-reads its citations, and checks its claims against them. The result is plain data. */
import { findMentions, removeNotices, toReadTrail } from '../../core/answers.ts';
import {
  type Citation,
  type CitationStatus,
  checkCitations,
  type Evidence,
  escapePath,
  type ReadTrail,
  type TextReader,
} from '../../core/index.ts';
import { claimText } from '../claim/split-claims.ts';
import type { ClaimSource } from '../gate.ts';
import { findHeader } from '../lines/header.ts';
import { type ClaimsRequest, type PlacedClaim, placeDecided } from './place-claims.ts';

export interface AnswerRequest extends Omit<ClaimsRequest, 'answer' | 'sources'> {
  /** Markdown, with ids of evidence in brackets. */
  readonly text: string;
  /** The run's registered evidence. An id outside it was never read. */
  readonly evidence: readonly Evidence[];
  /** The lines that the run read. Default: the lines of the evidence. */
  readonly trail?: ReadTrail;
  readonly reader: TextReader;
}

export interface WeighedAnswer {
  /** The text that was split into claims, to which their offsets refer. */
  readonly text: string;
  /** How many sentences an earlier cut left out. The name is kept, since journals hold it. */
  readonly left: number;
  readonly claims: readonly PlacedClaim[];
  /** The confirmed lines that the answer cites, in the order of their first mention. */
  readonly sources: readonly ClaimSource[];
  readonly citations: readonly Citation[];
  /** Ids of searches that the answer cites. Searches have no lines. */
  readonly searches: readonly string[];
  /** Every id that the text cites, with the result of its check. */
  readonly checked: readonly { readonly id: string; readonly status: CitationStatus }[];
}

export async function weighAnswer(request: AnswerRequest): Promise<WeighedAnswer> {
  const { text: given, evidence, reader, trail = toReadTrail(evidence), ...rest } = request;
  const text = claimText(given);
  const ids = [...new Set(findMentions(text).flatMap((mention) => mention.ids))];
  const logged = new Set((rest.log?.searches ?? []).map(({ id }) => id));
  const searches = ids.filter((id) => logged.has(id));
  const byId = new Map(evidence.map((item) => [item.id, item]));
  const read = await checkCitations(
    ids.flatMap((id) => byId.get(id) ?? []),
    trail,
    reader,
  );
  const valid = read
    .filter(({ status }) => status === 'valid')
    .map((checkedEvidence) => checkedEvidence.evidence);
  const sources = await Promise.all(valid.map((evidence) => readSource(evidence, reader)));
  const statuses = new Map(
    read.map((checkedEvidence) => [checkedEvidence.evidence.id, checkedEvidence.status]),
  );
  const claimsRequest = { ...rest, answer: text, sources };
  // Copied lines were decided when they were read. Only sentences need the code of all checks.
  const claims =
    placeDecided(claimsRequest, () => null) ??
    (await import('./copied-claims.ts')).decideCopiedClaims(claimsRequest) ??
    (await import('./check-claims.ts')).checkPlacedClaims(claimsRequest);
  return {
    text,
    left: removeNotices(given).cutSentences,
    claims,
    sources,
    citations: valid.map(toCitation),
    searches,
    checked: ids
      .filter((id) => !logged.has(id))
      .map((id) => ({ id, status: statuses.get(id) ?? ('not_read' as const) })),
  };
}

async function readSource(
  { id, file_path: path, start_line: start, end_line: end, content, commit, provenance, reason }: Evidence,
  reader: TextReader,
): Promise<ClaimSource> {
  const file = await reader.readText(path, commit);
  const header = file.kind === 'text' ? findHeader(file.lines, start, path) : '';
  const [, name, listing, scope] = (provenance === 'syntax' ? noUsersListing.exec(reason) : null) ?? [];
  return {
    ...{ id, path: escapePath(path), start, end, content },
    ...(header !== '' && { header }),
    ...(listing !== undefined && { listing }),
    ...(name !== undefined && scope === undefined && { unused: name }),
  };
}

/** The words of `find_references` about a complete listing. Only that action gives this provenance. */
const noUsersListing =
  /^defines (.+?); (nothing( in the scope)? (?:uses|calls) it: (?:the one file|all \d+ files) that holds? the word (?:was|were) read)$/;

const toCitation = (evidence: Evidence): Citation =>
  Object.freeze({
    id: evidence.id,
    path: evidence.file_path,
    start_line: evidence.start_line,
    end_line: evidence.end_line,
    provenance: evidence.provenance,
    hash: evidence.hash,
    status: 'valid',
  });
