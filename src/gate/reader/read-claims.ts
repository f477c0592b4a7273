/** Selects the claims that the checks in code leave open, for a reader, and puts its verdicts into the answer. */

import type { WeighedAnswer } from '../answer/weigh-answer.ts';
import { isAboutSearch } from '../claim/split-claims.ts';
import type { Claim, ClaimSource } from '../gate.ts';
import { addressReader } from './flags.ts';
import type { ClaimToRead, ReaderReply } from './reader.ts';

/** Claims, with all lines that they may rest on. */
type WeighedClaims = Pick<WeighedAnswer, 'claims' | 'sources'>;

/**
 * The open claims: those with figures first, then those with names in code, then the others. A reader with limited room
 * takes the first ones.
 */
export function claimsToRead({ claims, sources }: WeighedClaims): readonly ClaimToRead[] {
  const byId = new Map(sources.map((source) => [source.id, source]));
  return claims
    .flatMap(({ claim, computed }, index): readonly ClaimToRead[] => {
      const used = claim.evidence.length === 0 ? sources : claim.evidence.flatMap((id) => byId.get(id) ?? []);
      if (!isOpen(claim, used)) return [];
      const asked = { id: `c${index + 1}`, text: claim.text, sources: used };
      return [computed === undefined ? asked : { ...asked, computed }];
    })
    .toSorted(compareWeights);
}

/**
 * Whether a claim goes to a reader. A claim about what a search found does not, since no lines can show it. Neither
 * does a claim that addresses the reader, or whose lines do.
 */
const isOpen = ({ verdict, text, evidence }: Claim, used: readonly ClaimSource[]): boolean =>
  verdict === 'unclear' &&
  used.length > 0 &&
  !(evidence.length === 0 && isAboutSearch(text)) &&
  !addressReader(used) &&
  !addressReader([{ id: '', path: '', start: 1, end: 1, content: text }]);

/** The order of claims, also for claims of several answers. */
export const compareWeights = (a: ClaimToRead, b: ClaimToRead): number => weighClaim(a) - weighClaim(b);

const weighClaim = ({ text }: ClaimToRead): number => (/\d/.test(text) ? 0 : /`/.test(text) ? 1 : 2);

/** A reader's verdict counts only for claims that code left open. */
export function applyReading<One extends WeighedClaims>(weighed: One, reply: ReaderReply): One {
  if (reply.kind === 'failed') return weighed;
  const asked = new Set(claimsToRead(weighed).map(({ id }) => id));
  const words = new Map(
    reply.words
      // Two verdicts on one claim cancel each other.
      .filter(({ id }, _at, all) => asked.has(id) && all.filter((other) => other.id === id).length === 1)
      .map((word) => [word.id, word]),
  );
  const claims = weighed.claims.map((placed, index) => {
    const word = words.get(`c${index + 1}`);
    if (word === undefined) return placed;
    const { text, evidence, flags } = placed.claim;
    const why = word.why === undefined || word.why === '' ? 'A reader says so.' : `A reader: ${word.why}`;
    return { ...placed, claim: Object.freeze({ text, verdict: word.verdict, why, evidence, flags }) };
  });
  return { ...weighed, claims };
}
