/** Checks claims about writes against the log of writes instead of against cited lines. */

import { parseClaim } from '../claim/reading.ts';
import type { Claim } from '../gate.ts';
import { collapseSpaces } from '../words/normal.ts';

export interface LoggedWrite {
  /** The id of the write: `wr-…`, or the id of the call. */
  readonly id: string;
  /** The name of the tool. */
  readonly name: string;
  readonly ok: boolean;
  /** The request and its result, as text. */
  readonly about: string;
}

const verbs =
  'wrote|written|created?|updated?|added?|saved?|changed?|deleted?|removed?|moved?|renamed?|tagged|proposed?|recorded|noted|stored?|made|put|edited|linked|imported|appended|replaced';
const byMe = new RegExp(
  `^(?:(?:done|so|now|okay|and|then|also)[,:. ]+)*(?:i|we)(?:'ve| have| had|'ll have)?(?: just| now| also| already)? (?:${verbs})\\b`,
  'i',
);
const wasWritten = new RegExp(
  `\\b(?:was|were|is|are|has been|have been)(?: now| just)? (?:${verbs})\\b.*\\b(?:wr|pg|dev)-[0-9a-z]{6,}`,
  'i',
);

/** Whether a claim reports a change that the speaker made to the workspace. */
export const reportsWrite = (claim: string): boolean => byMe.test(claim) || wasWritten.test(claim);

export function decideByWrites(
  claim: string,
  writes: readonly LoggedWrite[],
): Pick<Claim, 'verdict' | 'why' | 'evidence'> {
  const succeeded = writes.filter(({ ok }) => ok);
  if (succeeded.length === 0)
    return {
      verdict: 'contradicted',
      why: writes.length === 0 ? 'The log has no write.' : 'The log has only writes that failed.',
      evidence: writes.map(({ id }) => id),
    };
  const names = findNames(claim);
  const findMentioning = (name: string) =>
    succeeded.filter(({ about }) => foldText(about).includes(foldText(name)));
  const missing = names.filter((name) => findMentioning(name).length === 0);
  if (missing.length > 0)
    return {
      verdict: 'not shown',
      why: `No write in the log has ${missing.map((name) => `"${name}"`).join(', ')}.`,
      evidence: succeeded.map(({ id }) => id),
    };
  const used =
    names.length === 0
      ? succeeded
      : succeeded.filter((write) => names.some((name) => findMentioning(name).includes(write)));
  return { verdict: 'shown', why: 'The log of writes has it.', evidence: used.map(({ id }) => id) };
}

const foldText = (text: string): string => collapseSpaces(text).toLowerCase();

/** The ids, paths, names of code and quotes in a claim. Figures are left out, since writers count their own writes. */
function findNames(claim: string): readonly string[] {
  const ids = claim.match(/\b(?:wr|pg|bl|dev|run)-[0-9a-z]{6,}\b/g) ?? [];
  const terms = parseClaim(claim)
    .terms.filter(({ kind, mustMatch }) => mustMatch && kind !== 'proper')
    .map(({ text }) => text.replace(/^["'`“]|["'`”]$/g, ''));
  return [...new Set([...ids, ...terms])];
}
