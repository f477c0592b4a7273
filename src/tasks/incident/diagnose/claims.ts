/**
 * Checks claims against evidence by code. The evidence of a claim must have been recorded in this run and must not have
 * changed since. A claim with fields is compared with one record, a claim in words with lines of text, both by the
 * gate. A claim that does not pass is kept with its verdict and the reason.
 */
import {
  type ClaimVerdict,
  checkClaim,
  type Evidence,
  type IncidentClaim,
  isRefused,
  isSupported,
  type TextReader,
  type UnprovenClaim,
} from '../../../core/index.ts';
import { checkClaims, checkFields, formatSentence } from '../../../gate/index.ts';
import { parseRecords } from './records/records.ts';

/** Maximum pieces of evidence of a claim: in more than that, some line would always match. */
const maxEvidence = 6;

export interface ClaimContext {
  /** Services, metrics, flags, deploys: words that identify something in this run. */
  readonly names: ReadonlySet<string>;
  /** The decisions of a model on claims that code left undecided, by the text of the claim. */
  readonly read?: ReadonlyMap<string, Decision>;
}

export interface ClaimSplit {
  readonly validated: readonly IncidentClaim[];
  readonly doubted: readonly UnprovenClaim[];
}

export interface Decision {
  readonly verdict: ClaimVerdict;
  readonly why?: string;
}

/** Returns the claim itself if it is supported, otherwise the claim with the reason why it is not. */
export async function bindClaim(
  claim: IncidentClaim,
  evidence: readonly Evidence[],
  reader: TextReader,
  claimContext: ClaimContext,
): Promise<IncidentClaim | UnprovenClaim> {
  const text = claim.text.trim();
  const named = [...new Set([...claim.evidence, ...(text.match(/\bev-[0-9a-f]{10}\b/g) ?? [])])];
  const found = named.flatMap((id) => evidence.find((item) => item.id === id) ?? []);
  const bare = text.replace(/\s*\[?\bev-[0-9a-f]{10}\b\]?/g, '').trim();
  const base = { text: bare, ...(claim.fields !== undefined && { fields: claim.fields }) };
  const toUnproven = (verdict: ClaimVerdict, reason: string): UnprovenClaim => ({
    ...base,
    evidence: named,
    verdict,
    reason,
  });
  if (bare === '') return toUnproven('not shown', 'it says nothing');
  if (found.length === 0)
    return toUnproven(
      'not shown',
      named.length === 0 ? 'it names no evidence' : 'what it names is no evidence of this run',
    );
  if (found.length > maxEvidence)
    return toUnproven('not shown', `it names ${found.length} pieces of evidence, more than ${maxEvidence}`);
  const read: Evidence[] = [];
  for (const item of found) {
    const { file_path: path, start_line: start, end_line: end, hash, commit } = item;
    const checked = await checkClaim({ path, start, end, hash, commit }, reader);
    if (checked.status === 'valid') read.push(item);
  }
  if (read.length === 0) return toUnproven('not shown', 'what it names does not say the same any more');
  const codeDecision = decideClaim({ ...claim, text: bare }, read, claimContext);
  const { verdict, why } =
    codeDecision.verdict === 'unclear' ? (claimContext.read?.get(bare) ?? codeDecision) : codeDecision;
  return isSupported({ verdict })
    ? { ...base, evidence: found.map(({ id }) => id), verdict }
    : toUnproven(verdict, why ?? 'the lines neither say so nor deny it');
}

function decideClaim(
  { text, fields, verdict }: IncidentClaim,
  read: readonly Evidence[],
  claimContext: ClaimContext,
): Decision {
  // The program computed it from these very records.
  if (verdict === 'computed') return { verdict };
  if (fields !== undefined && fields.verb !== 'other') {
    const names = new Set([...claimContext.names].map((name) => name.toLowerCase()));
    const fieldsVerdict = checkFields(
      fields,
      parseRecords(
        read.map(({ content }) => content),
        names,
      ),
    );
    if (fieldsVerdict.verdict !== 'unclear' || text === formatSentence(fields)) return fieldsVerdict;
  }
  return decideBySentence(text, read);
}

/**
 * Checks a claim in words against the lines: one refused part refuses the whole claim, one undecided part leaves it
 * undecided.
 */
function decideBySentence(text: string, read: readonly Evidence[]): Decision {
  const claims = checkClaims({
    answer: text,
    sources: read.map(({ id, file_path: path, start_line: start, end_line: end, content }) => ({
      ...{ id, path, start, end, content },
    })),
  });
  const refused = claims.find(isRefused);
  if (refused !== undefined) return toDecision(refused);
  const open = claims.find((claim) => !isSupported(claim));
  if (open !== undefined) return toDecision(open);
  const [first] = claims;
  return first === undefined
    ? { verdict: 'unclear', why: 'it says nothing that could be looked for' }
    : { verdict: first.verdict };
}

const toDecision = ({ verdict, why }: Decision): Decision => ({
  verdict,
  ...(why !== undefined && { why: `${why[0]!.toLowerCase()}${why.slice(1)}`.replace(/\.$/, '') }),
});

export async function bindClaims(
  claims: readonly IncidentClaim[],
  evidence: readonly Evidence[],
  reader: TextReader,
  claimContext: ClaimContext,
): Promise<ClaimSplit> {
  const validated: IncidentClaim[] = [];
  const doubted: UnprovenClaim[] = [];
  for (const claim of claims) {
    if (claim.text.trim() === '') continue;
    const bound = await bindClaim(claim, evidence, reader, claimContext);
    if ('reason' in bound) doubted.push(bound);
    else validated.push(bound);
  }
  return { validated, doubted };
}
