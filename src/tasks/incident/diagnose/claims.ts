/**
 * Claims are bound to evidence by code: what a claim names must have been recorded in this run and still say the
 * same, and must show what the claim says (`proof/prove.ts`). What does not pass is kept, with the reason, as a claim
 * that is not validated.
 */
import {
  checkClaim,
  type DoubtedClaim,
  type Evidence,
  type IncidentClaim,
  type TextReader,
} from '../../../core/index.ts';
import { type Known, unshown } from './proof/prove.ts';

/** A claim that names more than this could be found in anything. */
const mostEvidence = 6;

export interface Bound {
  readonly validated: readonly IncidentClaim[];
  readonly doubted: readonly DoubtedClaim[];
}

/** One claim: unchanged where it holds, otherwise with the reason why it does not. */
export async function bindClaim(
  claim: IncidentClaim,
  evidence: readonly Evidence[],
  reader: TextReader,
  known: Known,
): Promise<IncidentClaim | DoubtedClaim> {
  const text = claim.text.trim();
  const named = [...new Set([...claim.evidence, ...(text.match(/\bev-[0-9a-f]{10}\b/g) ?? [])])];
  const found = named.flatMap((id) => evidence.find((item) => item.id === id) ?? []);
  const bare = text.replace(/\s*\[?\bev-[0-9a-f]{10}\b\]?/g, '').trim();
  const doubt = (reason: string): DoubtedClaim => ({ text: bare, evidence: named, reason });
  if (bare === '') return doubt('it says nothing');
  if (found.length === 0)
    return doubt(named.length === 0 ? 'it names no evidence' : 'what it names is no evidence of this run');
  if (found.length > mostEvidence)
    return doubt(`it names ${found.length} pieces of evidence, more than ${mostEvidence}`);
  const read: string[] = [];
  for (const item of found) {
    const { file_path: path, start_line: start, end_line: end, hash, commit } = item;
    const checked = await checkClaim({ path, start, end, hash, commit }, reader);
    if (checked.status === 'valid') read.push(item.content);
  }
  if (read.length === 0) return doubt('what it names does not say the same any more');
  const missing = unshown(bare, read, known);
  return missing === null ? { text: bare, evidence: found.map(({ id }) => id) } : doubt(missing);
}

export async function bindClaims(
  claims: readonly IncidentClaim[],
  evidence: readonly Evidence[],
  reader: TextReader,
  known: Known,
): Promise<Bound> {
  const validated: IncidentClaim[] = [];
  const doubted: DoubtedClaim[] = [];
  for (const claim of claims) {
    if (claim.text.trim() === '') continue;
    const bound = await bindClaim(claim, evidence, reader, known);
    if ('reason' in bound) doubted.push(bound);
    else validated.push(bound);
  }
  return { validated, doubted };
}
