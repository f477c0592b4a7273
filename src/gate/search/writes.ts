/** Sentences about writes: checked against the log of writes, not against lines. */

import { read } from '../claim/reading.ts';
import type { Claim } from '../gate.ts';
import { flat } from '../words/normal.ts';

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
export const speaksOfWriting = (claim: string): boolean => byMe.test(claim) || wasWritten.test(claim);

export function decideByWrites(
  claim: string,
  writes: readonly LoggedWrite[],
): Pick<Claim, 'verdict' | 'why' | 'evidence'> {
  const loggedWrites = writes.filter(({ ok }) => ok);
  if (loggedWrites.length === 0)
    return {
      verdict: 'contradicted',
      why: writes.length === 0 ? 'The log has no write.' : 'The log has only writes that failed.',
      evidence: writes.map(({ id }) => id),
    };
  const names = namesIn(claim);
  const holding = (name: string) =>
    loggedWrites.filter(({ about }) => foldText(about).includes(foldText(name)));
  const missing = names.filter((name) => holding(name).length === 0);
  if (missing.length > 0)
    return {
      verdict: 'not shown',
      why: `No write in the log has ${missing.map((name) => `"${name}"`).join(', ')}.`,
      evidence: loggedWrites.map(({ id }) => id),
    };
  const used =
    names.length === 0
      ? loggedWrites
      : loggedWrites.filter((write) => names.some((name) => holding(name).includes(write)));
  return { verdict: 'shown', why: 'The log of writes has it.', evidence: used.map(({ id }) => id) };
}

const foldText = (text: string): string => flat(text).toLowerCase();

/** The ids, paths, names of code and quotes in a claim. Figures are left out, since writers count their own writes. */
function namesIn(claim: string): readonly string[] {
  const ids = claim.match(/\b(?:wr|pg|bl|dev|run)-[0-9a-z]{6,}\b/g) ?? [];
  const terms = read(claim)
    .terms.filter(({ kind, isHard }) => isHard && kind !== 'proper')
    .map(({ text }) => text.replace(/^["'`“]|["'`”]$/g, ''));
  return [...new Set([...ids, ...terms])];
}
