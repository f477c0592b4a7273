/** `sonde verify`: checks the citations of any tool's answer, given as JSON lines, through the citation gate. */
import type { CheckedClaim, CitationClaim, CitationStatus, Masker, TextReader } from '../core/index.ts';
import { checkShownClaim } from './masking.ts';
import { cacheTexts } from './text-cache.ts';

/** The result for one line of the input. `null` if the line did not contain the field. */
export interface VerifiedLine {
  /** 1-based, in the input. */
  readonly line: number;
  readonly path: string | null;
  readonly start: number | null;
  readonly end: number | null;
  /** `bad_line`: the line is not a claim that can be checked. */
  readonly status: CitationStatus | 'bad_line';
  /** The present place of the quote, or of the lines with that hash, in the same file. */
  readonly found?: CheckedClaim['found'];
  /** Why the claim is not valid. */
  readonly reason?: string;
  /** Limits of the check. */
  readonly note?: string;
}

/** A reader that can also tell whether the repository has a commit. */
export interface VerifyReader extends TextReader {
  knowsCommit?(commit: string): Promise<boolean>;
}

/**
 * Yields one result for each line that is not blank, in order. A line is an object with `path` (or `file_path`),
 * `start` (or `start_line`), `end` (or `end_line`), and optionally `quote`, `hash` and `commit`; other fields are
 * ignored. If the commit is not in the repository, the claim is checked against the files as they are, and a note says
 * so.
 */
export async function* verifyLines(
  text: string,
  reader: VerifyReader,
  mask: () => Masker,
): AsyncGenerator<VerifiedLine> {
  const texts = cacheTexts(reader);
  const commits = new Map<string, boolean>();
  const isKnownCommit = async (commit: string) => {
    const knownBefore = commits.get(commit);
    if (knownBefore !== undefined) return knownBefore;
    const isKnown = (await reader.knowsCommit?.(commit)) ?? true;
    commits.set(commit, isKnown);
    return isKnown;
  };
  for (const [index, content] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    if (content.trim() === '') continue;
    const line = index + 1;
    const claim = parseClaim(content);
    if (typeof claim === 'string') {
      yield { line, path: null, start: null, end: null, status: 'bad_line', reason: claim };
      continue;
    }
    const { commit, ...claimWithoutCommit } = claim;
    const hasCommit = typeof commit !== 'string' || (await isKnownCommit(commit));
    const checked = await checkShownClaim(hasCommit ? claim : claimWithoutCommit, texts, mask);
    yield {
      line,
      path: claim.path,
      start: claim.start,
      end: claim.end,
      ...checked,
      ...(!hasCommit && { note: `Commit ${commit} is not here: checked against the files as they are.` }),
    };
  }
}

/** Returns the claim, or the reason why the line is not one. */
function parseClaim(content: string): CitationClaim | string {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (thrown) {
    return `The line is not JSON: ${thrown instanceof Error ? thrown.message : thrown}.`;
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return 'The line is not an object.';
  const fields = value as Readonly<Record<string, unknown>>;
  const path = fields['path'] ?? fields['file_path'];
  const start = fields['start'] ?? fields['start_line'];
  const end = fields['end'] ?? fields['end_line'];
  const { quote, hash, commit } = fields;
  if (typeof path !== 'string' || path === '') return '"path" is not a file name.';
  if (typeof start !== 'number') return '"start" is not a line number.';
  if (typeof end !== 'number') return '"end" is not a line number.';
  if (!isAbsentOr(quote, /^/)) return '"quote" is not a text.';
  if (!isAbsentOr(hash, /^[0-9a-f]{64}$/i)) return '"hash" is not a SHA-256 in hexadecimal digits.';
  if (!isAbsentOr(commit, /^/)) return '"commit" is not a text.';
  return {
    path,
    start,
    end,
    ...(typeof quote === 'string' && { quote }),
    ...(typeof hash === 'string' && { hash }),
    ...(typeof commit === 'string' && commit !== '' && { commit }),
  };
}

function isAbsentOr(value: unknown, pattern: RegExp): boolean {
  return value === undefined || value === null || (typeof value === 'string' && pattern.test(value));
}
