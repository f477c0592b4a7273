/**
 * Aligns a claim with one sentence, item or record of its lines: word with word, figure with figure, in order. A claim
 * of which everything is aligned, and nothing opposed, is shown. One of which all but one thing is aligned, while the
 * sentence has something of the same sort in that place, is contradicted. Lines of code say things in too many ways
 * for either.
 */
import { weightOf } from './clauses.ts';
import type { Decision } from './decide-text.ts';
import type { Figure } from './figures.ts';
import { matchFigure } from './match-figure.ts';
import type { Reading } from './reading.ts';
import { type Segment, type Source, segmentsBelow } from './source.ts';
import { isSameMoment, type Moment } from './times.ts';
import { denialsIn, findDirectedWords, mayDeny, oppositesOf, quantifiersIn } from './turns.ts';
import { comparable, isIdle, isLight, wordsIn } from './words.ts';

/** A word with meaning, a figure or a time. */
interface Token {
  readonly text: string;
  readonly base: string;
  readonly at: number;
  readonly end: number;
  readonly figure?: Figure;
  readonly moment?: Moment;
  /** The word that governs it, such as `from` or `by`; empty if there is none. */
  readonly role: string;
  /** The same, with no other word with meaning between. */
  readonly ownRole: string;
  /** Whether a denial stands before it, with no other word with meaning between. */
  readonly isDenied: boolean;
  /** The words for how many and how often before it, with no other word with meaning between. */
  readonly amount: string;
}

interface Alignment {
  readonly said: string;
  readonly segment: Segment;
  readonly claimed: readonly Token[];
  readonly given: readonly Token[];
  /** For each token of the claim, the place of its partner among the given ones; null if it has none. */
  readonly partners: readonly (number | null)[];
  /** The share of the claim, by weight, that has a partner. */
  readonly share: number;
}

const governing = new Set(
  'by from to in on at of with for into via since until before after under over than as without per between against through during within below above if when because while unless whereas although'.split(
    ' ',
  ),
);

/** Governing words that say the opposite of another, or deny. */
const telling = new Set(
  'by before after until since from to into with without above below over under if unless'.split(' '),
);
/** The same, even if the other has no such word: `hauled by the boats`. */
const deciding = new Set('by before after until without unless'.split(' '));
const comparisons = /\b(?:more|less|fewer|least|most|greater|higher|lower|only|except)\b/giu;

type Found = Pick<Token, 'text' | 'base' | 'at' | 'end' | 'figure' | 'moment'>;

const foundAt = (
  { text, start, end }: Pick<Figure, 'text' | 'start' | 'end'>,
  value: Pick<Token, 'figure' | 'moment'>,
): Found => ({ text, base: '', at: start, end, ...value });

function tokensIn(text: string, figures: readonly Figure[], moments: readonly Moment[]): readonly Token[] {
  const values: readonly Found[] = [
    ...moments.map((moment) => foundAt(moment, { moment })),
    ...figures
      .filter(({ start }) => !moments.some((one) => start >= one.start && start < one.end))
      .map((figure) => foundAt(figure, { figure })),
  ];
  const words = wordsIn(text)
    .filter(
      ({ text: word, at }) =>
        !isIdle(word) &&
        !/^n?['’]t\b/.test(text.slice(at + word.length)) &&
        !(word === 'longer' && /\b(?:no|any)\s$/i.test(text.slice(0, at))) &&
        !values.some((one) => at >= one.at && at < one.end),
    )
    .map(({ text: word, base, at }): Found => ({ text: word, base, at, end: at + word.length }));
  const all = [...words, ...values].toSorted((a, b) => a.at - b.at);
  return all.map((one, index) => {
    const before = text.slice(all[index - 1]?.end ?? 0, one.at);
    return {
      ...one,
      role: roleOf(text.slice(0, one.at), all[index - 2]?.end ?? 0),
      ownRole: roleOf(text.slice(0, one.at), all[index - 1]?.end ?? 0),
      isDenied: denialsIn(before).length % 2 === 1,
      amount: amountIn(before),
    };
  });
}

/** The nearest governing word before, in the same clause and with no more than one other token between. */
function roleOf(before: string, from: number): string {
  const clause =
    before
      .slice(from)
      .split(/[,;:.!?()]\s/)
      .at(-1) ?? '';
  const words = clause.toLowerCase().match(/[\p{L}\p{N}_'-]+/gu) ?? [];
  return words.findLast((word) => governing.has(word)) ?? '';
}

const amountIn = (before: string): string =>
  [...new Set([...quantifiersIn(before), ...(before.toLowerCase().match(comparisons) ?? [])])]
    .sort()
    .join(' ');

const known = new WeakMap<Segment, readonly Token[]>();

function givenTokens(segment: Segment): readonly Token[] {
  const before = known.get(segment);
  if (before !== undefined) return before;
  const { text, figures, moments } = segment;
  const tokens = tokensIn(
    text,
    figures.filter(({ isPart }) => isPart !== true),
    moments,
  );
  known.set(segment, tokens);
  return tokens;
}

function isSame(one: Token, other: Token, text: string): boolean {
  if (one.moment !== undefined || other.moment !== undefined)
    return one.moment !== undefined && other.moment !== undefined && isSameMoment(one.moment, other.moment);
  if (one.figure !== undefined || other.figure !== undefined)
    return (
      one.figure !== undefined &&
      other.figure !== undefined &&
      (one.figure.isWord && other.figure.isWord
        ? one.figure.value === other.figure.value
        : matchFigure(one.figure, other.figure, text.slice(0, other.at)) === 'same')
    );
  return one.base === other.base;
}

/** What a value weighs beside a rare word. */
const ofValue = 3;

function weightIn(token: Token, source: Source): number {
  if (isValue(token)) return ofValue;
  return weightOf(token.base, source) * (isLight(token.text) ? 0.5 : 1);
}

const isValue = ({ figure, moment }: Token): boolean => figure !== undefined || moment !== undefined;

/** Maximum tokens of a sentence that is looked at. */
const maxTokens = 200;

/** The best alignment with one sentence or record: that which gives most of the claim a partner. */
function align(
  said: string,
  claimed: readonly Token[],
  source: Source,
  ignore: Token | null = null,
): Alignment | null {
  let best: Alignment | null = null;
  const weights = claimed.map((token) => (token === ignore ? 0 : weightIn(token, source)));
  const whole = weights.reduce((sum, one) => sum + one, 0);
  for (const segment of source.segments) {
    if (segment.isCode && !isRecorded(segment)) continue;
    const given = givenTokens(segment);
    if (given.length === 0 || given.length > maxTokens) continue;
    const isThere = claimed.map(
      (token) =>
        token !== ignore &&
        (given.some((other) => isSame(token, other, segment.text)) ||
          (token.base !== '' && segment.headings.bases.has(token.base))),
    );
    const share = weights.reduce((sum, one, at) => sum + (isThere[at]! ? one : 0), 0) / whole;
    if (best !== null && share <= best.share) continue;
    best = { ...{ said, segment, claimed, given, share }, partners: pair(claimed, given, segment.text) };
  }
  return best;
}

const isRecorded = ({ isRecord, moments, text }: Segment): boolean =>
  isRecord || moments.length > 0 || /^\s*\|/.test(text);

/** The longest common subsequence first; then each token that is left over, with any like it that is left over. */
function pair(claimed: readonly Token[], given: readonly Token[], text: string): readonly (number | null)[] {
  const lengths = Array.from({ length: claimed.length + 1 }, () => new Uint16Array(given.length + 1));
  for (let i = claimed.length - 1; i >= 0; i -= 1)
    for (let j = given.length - 1; j >= 0; j -= 1)
      lengths[i]![j] = isSame(claimed[i]!, given[j]!, text)
        ? lengths[i + 1]![j + 1]! + 1
        : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
  const partners: (number | null)[] = claimed.map(() => null);
  for (let i = 0, j = 0; i < claimed.length && j < given.length; )
    if (isSame(claimed[i]!, given[j]!, text)) partners[i++] = j++;
    else if (lengths[i + 1]![j]! >= lengths[i]![j + 1]!) i += 1;
    else j += 1;
  for (const [at, token] of claimed.entries())
    if (partners[at] === null) {
      const free = given.findIndex((other, j) => !partners.includes(j) && isSame(token, other, text));
      partners[at] = free < 0 ? null : free;
    }
  return partners;
}

/** What the sentence that says most of a claim makes of it: `shown`, `contradicted`, or null if that is not settled. */
export function decideAligned(reading: Reading, source: Source): Decision | null {
  const claimed = tokensIn(reading.text, reading.figures, reading.moments);
  if (claimed.length < minTokens) return null;
  if (source.segments.some(({ isCode, isRecord }) => isCode && !isRecord)) return null;
  const found = align(reading.text, claimed, source);
  if (found === null) return null;
  if (isWhole(found)) return { verdict: 'shown' };
  const time = findOtherTime(reading.text, claimed, source);
  if (time !== null) return { verdict: 'not shown', why: time };
  const against = findAgainst(reading, found, source);
  return against === null ? null : { verdict: 'contradicted', why: against };
}

/**
 * Whether the sentence of prose that says most of a claim lacks something of it, which no heading has either, and neither
 * the question nor the path.
 */
export function isPartly(reading: Reading, source: Source): boolean {
  if (source.segments.some(({ isCode }) => isCode)) return false;
  if (reading.places.length > 0 || reading.terms.some(({ kind }) => kind === 'quote')) return false;
  const claimed = tokensIn(reading.text, reading.figures, reading.moments);
  const found = claimed.length < minTokens ? null : align(reading.text, claimed, source);
  if (found === null) return false;
  const headings = source.segments.filter(({ level }) => level > 0);
  return lackingIn(found).some(
    (token) =>
      !isLight(token.text) &&
      !source.known.bases.has(token.base) &&
      !headings.some((one) => givenTokens(one).some((other) => isSame(token, other, one.text))),
  );
}

const minTokens = 3;
const minShare = 0.6;

/** Whether everything has a partner, near each other, in order, denied alike and with the same amounts. */
function isWhole(found: Alignment): boolean {
  const { partners, segment } = found;
  if (lackingIn(found).length > 0 || movedIn(found).length > 0) return false;
  const places = partners.filter((one) => one !== null);
  const reach = Math.max(...places) - Math.min(...places) + 1;
  return (
    places.length >= minTokens &&
    (isRecorded(segment) || reach <= places.length * maxStretch + minTokens) &&
    !isClashing(found) &&
    (isRecorded(segment) || !isAcrossClauses(found)) &&
    findSwapped(found) === null &&
    hasSameAmounts(found)
  );
}

/** Whether everything has a partner, and the partners are denied less or more often. */
const hasOtherDenials = (found: Alignment): boolean =>
  lackingIn(found).length === 0 &&
  found.claimed.filter(({ isDenied }) => isDenied).length !==
    found.partners.filter((one) => one !== null && found.given[one]!.isDenied).length;

/** How many times as many tokens as the claim its partners may be spread over. */
const maxStretch = 2;

function findAgainst(reading: Reading, found: Alignment, source: Source): string | null {
  const lacking = lackingIn(found).filter(({ text }) => !isLight(text));
  const isDenied = [reading.text, found.segment.text].some((text) => denialsIn(text).length === 0);
  const clash = lacking.length === 0 && (isDenied || hasOtherDenials(found)) ? findClash(found) : null;
  if (clash !== null) return `The sentence with its words differs about "${clash}".`;
  const swapped = found.share >= minShareBeside ? findSwapped(found) : null;
  if (swapped !== null) return `The lines say "${swapped}".`;
  const other =
    findReplaced(reading.text, found.claimed, source) ??
    (found.share >= minShare ? (findOpposed(reading, found) ?? findOtherNoun(found)) : null);
  return other === null ? null : `The sentence with its other words says ${other}.`;
}

const lackingIn = ({ claimed, partners, segment }: Alignment): readonly Token[] =>
  claimed.filter(
    (token, at) => partners[at] === null && !(token.base !== '' && segment.headings.bases.has(token.base)),
  );

/** Tokens that stand in another order than their partners, without a governing word that is the same in both. */
function movedIn(found: Alignment): readonly Token[] {
  const { claimed, given, partners } = found;
  let last = -1;
  const moved: Token[] = [];
  const kept = longestRise(partners);
  for (const [at, token] of claimed.entries()) {
    const partner = partners[at];
    if (partner == null) continue;
    if (kept.has(at)) {
      last = partner;
      continue;
    }
    const role = given[partner]!.role;
    if ((role === '' || role !== token.role) && !isTurned(found, at)) moved.push(token);
  }
  return last < 0 ? [] : moved;
}

/** Whether a verb follows its object in the claim, and precedes it in the line: `X was changed`, `changed X`. */
function isTurned({ claimed, given, partners, said }: Alignment, at: number): boolean {
  const token = claimed[at]!;
  if (
    !/\b(?:is|are|was|were|be|been|being)\s+$/i.test(said.slice(0, token.at)) ||
    /^\s+by\b/i.test(said.slice(token.end))
  )
    return false;
  const next = partners[at]! + 1;
  if (next >= given.length) return false;
  const object = partners.indexOf(next);
  return object >= 0 && object < at;
}

/** The places whose partners rise, as many as can be. */
function longestRise(partners: readonly (number | null)[]): ReadonlySet<number> {
  const best: { readonly length: number; readonly from: number | null }[] = [];
  for (const [at, partner] of partners.entries()) {
    let [length, from]: [number, number | null] = [1, null];
    for (let before = 0; before < at; before += 1)
      if (
        partner !== null &&
        partners[before] !== null &&
        partners[before]! < partner &&
        best[before]!.length >= length
      )
        [length, from] = [best[before]!.length + 1, before];
    best.push({ length: partner === null ? 0 : length, from });
  }
  let at: number | null = best.reduce((top, one, index) => (one.length > best[top]!.length ? index : top), 0);
  const kept = new Set<number>();
  while (at !== null && best[at] !== undefined && best[at]!.length > 0) {
    kept.add(at);
    at = best[at]!.from;
  }
  return kept;
}

/** A word that only one of both denies, or that stands before in one and after in the other. */
function findClash({ claimed, given, partners, segment }: Alignment): string | null {
  for (const [at, token] of claimed.entries()) {
    const partner = partners[at];
    if (partner == null) continue;
    const { isDenied, role } = given[partner]!;
    const before = segment.text.slice(given[partner - 3]?.at ?? 0, given[partner]!.at);
    if (token.isDenied ? !isDenied && !mayDeny(before) : isDenied) return token.text;
    if (token.role !== role && (telling.has(token.role) || telling.has(role)) && isOpposed(token.role, role))
      return `${token.role} ${token.text}`;
  }
  return null;
}

const joint = /[,;:]\s|\b(?:and|but|while|whereas|or)\b/i;

/** Whether what stands together in the claim stands in two clauses of the sentence, with other words between. */
const isAcrossClauses = ({ said, claimed, given, partners, segment }: Alignment): boolean =>
  claimed.slice(1).some((token, at) => {
    const [one, two] = [partners[at], partners[at + 1]];
    if (one == null || two == null || two <= one + 1) return false;
    return (
      !joint.test(said.slice(claimed[at]!.end, token.at)) &&
      joint.test(segment.text.slice(given[one]!.end, given[two]!.at))
    );
  });

/** Whether a word is denied, or governed, in another way than its partner. */
const isClashing = ({ claimed, given, partners }: Alignment): boolean =>
  claimed.some(({ isDenied, role, ownRole }, at) => {
    const partner = partners[at];
    if (partner == null) return isDenied;
    const other = given[partner]!;
    if (isDenied !== other.isDenied) return true;
    const isOther = role !== '' && other.role !== '' && role !== other.role;
    return (
      (isOther && (telling.has(role) || telling.has(other.role))) ||
      (ownRole !== other.ownRole && [ownRole, other.ownRole].some((one) => deciding.has(one)))
    );
  });

const isOpposed = (one: string, other: string): boolean =>
  oppositesOf(one).includes(other) || (one === 'without') !== (other === 'without');

function hasSameAmounts({ claimed, given, partners }: Alignment): boolean {
  return claimed.every(({ amount }, at) => {
    const partner = partners[at];
    return partner == null ? amount === '' : amount === given[partner]!.amount;
  });
}

/** Two values or names that have exchanged their governing words: `from 5 to 50` for `from 50 to 5`. */
function findSwapped({ claimed, given, partners }: Alignment): string | null {
  for (const [at, one] of claimed.entries())
    for (const [index, other] of claimed.entries()) {
      const [a, b] = [partners[at], partners[index]];
      if (index <= at || a == null || b == null || one.role === '' || other.role === '') continue;
      if (
        one.role !== other.role &&
        one.role === given[b]!.role &&
        other.role === given[a]!.role &&
        (isValue(one) ? isValue(other) : !isValue(other))
      )
        return `${given[a]!.role} ${one.text} ${given[b]!.role} ${other.text}`;
    }
  return null;
}

/** A value of the claim in whose place the sentence that says the rest has another value of its sort. */
function findReplaced(said: string, claimed: readonly Token[], source: Source): string | null {
  for (const [at, token] of claimed.entries()) {
    if (!isValue(token)) continue;
    const found = align(said, claimed, source, token);
    if (found === null || found.share < minShareBeside) continue;
    if (found.given.some((other) => isSame(token, other, found.segment.text))) continue;
    const [before, behind] = gapOf(found, at);
    const other = found.given
      .slice(before + 1, behind)
      .find(
        (one, index) =>
          !found.partners.includes(before + 1 + index) &&
          (token.figure === undefined
            ? one.moment !== undefined
            : one.figure !== undefined && one.figure.dimension === token.figure.dimension),
      );
    if (other !== undefined) return `${other.text} for ${token.text}`;
  }
  return null;
}
const minShareBeside = 0.7;
/** Words that put a time before or behind what is said. */
const spanning = /\b(?:between|from|until|till|since|before|after|by|within|later|earlier)\b/i;

/** The reason against the only time of a claim, if the sentence with its other words is of another time. */
function findOtherTime(said: string, claimed: readonly Token[], source: Source): string | null {
  const [token, ...more] = claimed.filter(({ moment }) => moment !== undefined);
  if (token?.moment === undefined || more.length > 0 || spanning.test(said)) return null;
  const found = align(said, claimed, source, token);
  const time = found === null || found.share < minShareBeside ? null : otherTime(token.moment, found, source);
  return time === null ? null : `The lines say that of ${time}, and not of ${token.text}.`;
}

/** The only time of a record, or of the heading above a sentence, if the claim has another one. */
function otherTime(moment: Moment, { segment }: Alignment, source: Source): string | null {
  const at = source.segments.indexOf(segment);
  const above = source.segments.filter((_, index) => segmentsBelow(index, source).includes(at));
  const times = [segment, ...above.toReversed()].map(({ moments }) =>
    moments.filter(({ second, day }) => (moment.second === null ? day !== null : second !== null)),
  );
  const own = times.find((one) => one.length > 0) ?? [];
  const [first] = own;
  if (first === undefined || times.flat().some((one) => isSameMoment(moment, one))) return null;
  return own.length === 1 ? first.text : null;
}

/** The places of the partners before and behind a token. */
function gapOf({ given, partners }: Alignment, at: number): readonly [number, number] {
  const before = partners.slice(0, at).findLast((one) => one !== null) ?? -1;
  const behind = partners.slice(at + 1).find((one) => one !== null && one > before) ?? given.length;
  return [before, behind];
}

/** A directed word in whose place the sentence has its opposite. */
function findOpposed(reading: Reading, found: Alignment): string | null {
  const said = new Set(found.given.map(({ text }) => text.toLowerCase()));
  for (const { word } of findDirectedWords(reading.text)) {
    if (said.has(word) || found.given.some(({ base }) => base === comparable(word) && !isIdle(word)))
      continue;
    const other = oppositesOf(word).find((one) => said.has(one));
    if (other !== undefined) return `${other} for ${word}`;
  }
  return null;
}

const nounBefore =
  /(?:^|\b(?:a|an|the|this|that|these|those|its|their|no|of|in|on|from|by|with|for|via|into|as|at|using|uses|use|called|named)\s+(?:\p{L}+[\s-])?)["'`(]*$/iu;
/** What follows a subject. */
const predicate = /^\s+(?:is|are|was|were|has|have|had|does|did|can|will|\p{Ll}+(?:s|ed))\b/u;
const verbal = /(?:ed|ing|ly)$/;

/** A noun in whose place the sentence that says all the rest has another word. */
function findOtherNoun(found: Alignment): string | null {
  const lacking = lackingIn(found).filter((token) => !isLight(token.text));
  const [token, ...more] = lacking;
  if (token === undefined || more.length > 0 || isValue(token) || verbal.test(token.text)) return null;
  if (!nounBefore.test(found.said.slice(0, token.at))) return null;
  if (token.at === 0 && !predicate.test(found.said.slice(token.end))) return null;
  const at = found.claimed.indexOf(token);
  const [before, behind] = gapOf(found, at);
  const others = found.given
    .slice(before + 1, behind)
    .filter(
      (one, index) => !found.partners.includes(before + 1 + index) && !isLight(one.text) && !isValue(one),
    );
  if (others.length === 0 || others.length > 2 || verbal.test(others[0]!.text)) return null;
  if (token.base.startsWith(others[0]!.base.slice(0, 4))) return null;
  return `${others.map(({ text }) => text).join(' ')} for ${token.text}`;
}
