/**
 * The citation gate: re-reads every cited span and reports what it finds. It is deterministic and calls no model. Every
 * kind of run passes its answer through it, and `sonde verify` passes other tools' answers.
 *
 * It must not guess in favour of a claim: a claim it cannot check is not valid.
 */
import type { CitationClaim, CitationStatus } from './citation.ts';
import type { Evidence } from './evidence.ts';
import type { FileText, TextReader, Unreadable } from './material.ts';
import { type FlatText, findQuote, flattenLines, isEmptyQuote } from './text/quote.ts';
import type { LineSpan } from './text/span.ts';
import { spanHash } from './text/text-lines.ts';
import { covers, type ReadTrail } from './trail.ts';

export interface CheckedClaim {
  readonly status: CitationStatus;
  /** For a claim that is not valid: where in the file the quote, or lines with that hash, are now. */
  readonly found?: LineSpan;
  /** For people: why it is not valid. */
  readonly reason?: string;
}

export interface CheckedEvidence extends CheckedClaim {
  readonly evidence: Evidence;
}

/** How many positions around the claimed lines are searched for lines that moved. */
const searchRadius = 500;

const unreadable: Readonly<Record<Unreadable['reason'], CitationStatus>> = {
  missing: 'missing_file',
  outside_root: 'outside_root',
  out_of_scope: 'outside_root',
  not_text: 'not_text',
  too_large: 'not_text',
};

/**
 * Checks in this order: the file exists, the lines exist, they have the claimed hash, they contain the quote. An empty
 * quote, or one of white space only, is not checked.
 */
export async function checkClaim(claim: CitationClaim, reader: TextReader): Promise<CheckedClaim> {
  const file = await reader.readText(claim.path, claim.commit ?? null);
  if (file.kind === 'unreadable') return { status: unreadable[file.reason], reason: file.message };
  return checkText(claim, file);
}

/** Checks cited evidence: its lines must have its hash, and must have been read in this run. */
export async function checkCitations(
  cited: readonly Evidence[],
  trail: ReadTrail,
  reader: TextReader,
): Promise<readonly CheckedEvidence[]> {
  const checked: CheckedEvidence[] = [];
  for (const evidence of cited) {
    const { file_path: path, start_line: start, end_line: end, hash, commit } = evidence;
    const result: CheckedClaim = covers(trail, { path, commit, start, end })
      ? await checkClaim({ path, start, end, hash, commit }, reader)
      : { status: 'not_read', reason: `Nothing in this run read ${path}:${start}-${end}.` };
    checked.push({ evidence, ...result });
  }
  return checked;
}

const flatTexts = new WeakMap<FileText, FlatText>();

function checkText(claim: CitationClaim, file: FileText): CheckedClaim {
  const { start, end } = claim;
  const quote = claim.quote === undefined || isEmptyQuote(claim.quote) ? null : claim.quote;
  const findElsewhere = () =>
    quote === null ? findMovedLines(claim, file) : findQuote(flatFile(file), quote, start);
  const refuse = (status: CitationStatus, reason: string): CheckedClaim => {
    const found = findElsewhere();
    return found === null ? { status, reason } : { status, reason, found };
  };
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 1 || end < start)
    return refuse('out_of_range', `${start}-${end} is no range of lines.`);
  if (end > file.lines.length && !isEmptyLastLine(claim, file))
    return refuse('out_of_range', `${claim.path} has ${file.lines.length} lines, not ${end}.`);
  const lines =
    end > file.lines.length ? [...file.lines.slice(start - 1), ''] : file.lines.slice(start - 1, end);
  if (claim.hash !== undefined && spanHash(file, start, end) !== claim.hash.toLowerCase())
    return refuse('changed', `${claim.path}:${start}-${end} has another text than the one cited.`);
  if (quote !== null && findQuote(flattenLines(lines), quote) === null)
    return refuse('quote_not_found', `${claim.path}:${start}-${end} does not hold the quote.`);
  return { status: 'valid' };
}

/** Editors and `split('\\n')` count an empty line after a final terminator; a range may end on it, not begin. */
function isEmptyLastLine(claim: CitationClaim, file: FileText): boolean {
  const { length } = file.lines;
  return file.finalNewline === true && claim.end === length + 1 && claim.start <= length;
}

function flatFile(file: FileText): FlatText {
  const flatText = flatTexts.get(file);
  if (flatText !== undefined) return flatText;
  const flat = flattenLines(file.lines);
  flatTexts.set(file, flat);
  return flat;
}

/** Where lines with the claimed hash are now, searched near the claimed place. */
function findMovedLines(claim: CitationClaim, file: FileText): LineSpan | null {
  if (claim.hash === undefined) return null;
  const count = claim.end - claim.start + 1;
  if (!(count >= 1 && count <= file.lines.length)) return null;
  const last = file.lines.length - count + 1;
  const from = Math.min(claim.start, last);
  for (let step = 0; step <= searchRadius; step += 1) {
    for (const start of step === 0 ? [from] : [from - step, from + step]) {
      if (start < 1 || start > last) continue;
      if (spanHash(file, start, start + count - 1) === claim.hash.toLowerCase())
        return { start, end: start + count - 1 };
    }
  }
  return null;
}
