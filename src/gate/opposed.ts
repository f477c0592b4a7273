/** A clause of the lines that says the opposite of what the claim says, in words that both have. */
import { type Clause, clausesOf, denialsOf, fitOf, type GivenClause, givenClauses } from './clauses.ts';
import type { Reading } from './reading.ts';
import type { Source } from './source.ts';
import { findDirectedWords, oppositesOf } from './turns.ts';
import { comparable, type Word } from './words.ts';

const minFit = 0.55;
const minFitOfDenial = 0.85;
const minFitOfOrder = 0.8;
const minShared = 2;

/** Where it is not the whole clause that is turned about. */
const hedged =
  /\b(?:instead|rather|except|unless|until|only|but|although|though|yet|otherwise|either|whether|may|might|could|should)\b/i;

export function opposedTo(reading: Reading, source: Source): string | null {
  const all = findDirectedWords(reading.text).map(({ word }) => word);
  for (const clause of clausesOf(reading, { joined: true })) {
    const why = turned(clause, all, source) ?? denied(clause, source);
    if (why !== null) return why;
  }
  return null;
}

function turned(clause: Clause, all: readonly string[], source: Source): string | null {
  for (const { word, at } of findDirectedWords(clause.text)) {
    // `opened at noon and closed one second later`
    if (vague.has(word) || oppositesOf(word).some((one) => all.includes(one))) continue;
    const words = clause.words.filter((one) => one.at !== clause.at + at);
    const best = bestOf(words, source);
    if (best === null || best.fit < (timely.has(word) ? minFitOfOrder : minFit)) continue;
    const { given } = best;
    if (holds(given, word) || denialsOf(given.text) !== denialsOf(clause.text)) continue;
    const other = oppositesOf(word).find((one) => holds(given, one));
    // Where the word itself stands beside the same, it may be said of that.
    if (
      other === undefined ||
      givenClauses(source).some((one) => holds(one, word) && fitOf(words, one.bases, source) > best.fit * 0.7)
    )
      continue;
    return `the lines say "${other}" where the claim says "${word}"`;
  }
  return null;
}

const timely = new Set([
  'before',
  'after',
  'earlier',
  'later',
  'first',
  'last',
  'next',
  'previous',
  'start',
  'starts',
  'started',
  'stop',
  'stops',
  'stopped',
  'end',
  'ends',
  'ended',
  'begin',
  'begins',
  'began',
]);

/** Their opposites may stand beside them. */
const vague = new Set([
  'old',
  'new',
  'set',
  'unset',
  'known',
  'unknown',
  'read',
  'reads',
  'write',
  'writes',
  'on',
  'off',
  'up',
  'down',
  'over',
  'under',
  'out',
  'keeps',
  'kept',
  'keep',
  'push',
  'pushes',
  'pull',
  'pulls',
  'passed',
  'true',
  'false',
]);

const holds = ({ words }: GivenClause, word: string): boolean =>
  words.some(({ text, base }) => text.toLowerCase() === word || base === comparable(word));

function denied(clause: Clause, source: Source): string | null {
  if (clause.words.length < 3 || hedged.test(clause.text) || /"/.test(clause.text)) return null;
  const best = bestOf(clause.words, source);
  if (best === null || best.fit < minFitOfDenial) return null;
  const { given } = best;
  if (source.segments[given.segment]!.isCode || hedged.test(given.text) || /\?\s*$/.test(given.text))
    return null;
  const [own, theirs] = [denialsOf(clause.text), denialsOf(given.text)];
  if (own + theirs !== 1) return null;
  return own > theirs ? 'the lines say so without the negation' : 'the lines say that it is not so';
}

function bestOf(
  words: readonly Word[],
  source: Source,
): { readonly given: GivenClause; readonly fit: number } | null {
  let best: { given: GivenClause; fit: number } | null = null;
  for (const given of givenClauses(source)) {
    if (words.filter(({ base }) => given.bases.has(base)).length < minShared) continue;
    const fit = fitOf(words, given.bases, source);
    if (best === null || fit > best.fit) best = { given, fit };
  }
  return best;
}
