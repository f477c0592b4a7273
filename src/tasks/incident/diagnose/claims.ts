/**
 * Claims are bound to evidence by code: what a claim names must have been recorded in this run and still say the
 * same, and every number, time, hash, quote and name of a metric in the claim must stand in it. What does not
 * pass is kept, with the reason, as a claim that is not validated.
 */
import {
  checkClaim,
  type DoubtedClaim,
  type Evidence,
  type IncidentClaim,
  type TextReader,
} from '../../../core/index.ts';
import { tellingWords } from '../brief/words.ts';

/** A claim that names more than this could be found in anything. */
const mostEvidence = 6;

export interface Bound {
  readonly validated: readonly IncidentClaim[];
  readonly doubted: readonly DoubtedClaim[];
}

/** One claim: itself where it holds, or with the reason why it does not. */
export async function bindClaim(
  claim: IncidentClaim,
  evidence: readonly Evidence[],
  reader: TextReader,
): Promise<IncidentClaim | DoubtedClaim> {
  const text = claim.text.trim();
  const named = [...new Set([...claim.evidence, ...(text.match(/\bev-[0-9a-f]{10}\b/g) ?? [])])];
  const known = named.flatMap((id) => evidence.find((item) => item.id === id) ?? []);
  const bare = text.replace(/\s*\[?\bev-[0-9a-f]{10}\b\]?/g, '').trim();
  const doubt = (reason: string): DoubtedClaim => ({ text: bare, evidence: named, reason });
  if (bare === '') return doubt('it says nothing');
  if (known.length === 0)
    return doubt(named.length === 0 ? 'it names no evidence' : 'what it names is no evidence of this run');
  if (known.length > mostEvidence)
    return doubt(`it names ${known.length} pieces of evidence, more than ${mostEvidence}`);
  const read: string[] = [];
  for (const item of known) {
    const { file_path: path, start_line: start, end_line: end, hash, commit } = item;
    const checked = await checkClaim({ path, start, end, hash, commit }, reader);
    if (checked.status === 'valid') read.push(item.content);
  }
  if (read.length === 0) return doubt('what it names does not say the same any more');
  const missing = missingFrom(bare, read.join('\n'));
  return missing === null ? { text: bare, evidence: known.map(({ id }) => id) } : doubt(missing);
}

export async function bindClaims(
  claims: readonly IncidentClaim[],
  evidence: readonly Evidence[],
  reader: TextReader,
): Promise<Bound> {
  const validated: IncidentClaim[] = [];
  const doubted: DoubtedClaim[] = [];
  for (const claim of claims) {
    if (claim.text.trim() === '') continue;
    const bound = await bindClaim(claim, evidence, reader);
    if ('reason' in bound) doubted.push(bound);
    else validated.push(bound);
  }
  return { validated, doubted };
}

const flat = (text: string): string => text.replace(/\s+/g, ' ').trim();
const quote = /"([^"]{3,400})"|“([^”]{3,400})”|`([^`]{2,400})`|(?<![\w'])'([^']{3,200})'(?!\w)/g;
const stamp = /\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?Z?)?|\b\d{1,2}:\d{2}(?::\d{2})?\b/g;
const hash = /\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b/gi;
const snake = /\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b/gi;
const number = /(?<![\w.])[-+]?\d[\d,_]*(?:\.\d+)?/g;

/** What of the claim does not stand in the text; null where all does. */
export function missingFrom(claim: string, content: string): string | null {
  const held = flat(content);
  const lower = held.toLowerCase();
  let rest = claim;
  const take = (shape: RegExp): readonly string[] => {
    const found = [...rest.matchAll(shape)].map(
      (match) => match.slice(1).find((group) => group !== undefined) ?? match[0],
    );
    rest = rest.replace(shape, ' ');
    return found;
  };
  for (const text of take(quote))
    if (!held.includes(flat(text))) return `"${flat(text).slice(0, 80)}" does not stand in what it names`;
  for (const text of take(stamp))
    if (!held.includes(text) && !held.includes(text.replace(' ', 'T')))
      return `the time ${text} does not stand in what it names`;
  for (const text of take(hash))
    if (!lower.includes(text.toLowerCase())) return `${text} does not stand in what it names`;
  for (const text of take(snake))
    if (!lower.includes(text.toLowerCase())) return `${text} does not stand in what it names`;
  // The digits of a time or a hash are no numbers.
  const counted = held.replace(stamp, ' ').replace(hash, ' ');
  const numbers = new Set((counted.match(number) ?? []).map(plainNumber));
  for (const text of take(number))
    if (!numbers.has(plainNumber(text))) return `the number ${text} does not stand in what it names`;
  const words = new Set(tellingWords(held));
  const own = [...new Set(tellingWords(claim))];
  if (own.length > 0 && !own.some((word) => words.has(word))) return 'it shares no word with what it names';
  return null;
}

/** `1,840`, `1840` and `1840.0` are one number. */
const plainNumber = (text: string): string => String(Number(text.replace(/[,_+]/g, '').replace(/^-/, '')));
