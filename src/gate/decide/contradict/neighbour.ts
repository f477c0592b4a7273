/**
 * Finds claims that say of one thing what the lines say of its neighbour: `the IP finds the application` where the
 * lines have `the IP finds the machine; the port finds the application`. It compares clauses, items and sentences with
 * the same structure, in any language.
 */
import type { Reading } from '../../claim/reading.ts';
import { cacheByKey, type Segment, type Source } from '../../lines/source.ts';
import { findDenials } from '../../words/turns.ts';
import type { Token } from '../align/tokens.ts';
import { isProse } from '../support/one-clause.ts';
import { isAlike, splitTokens } from '../support/pieces.ts';

interface ClausePart {
  readonly tokens: readonly Token[];
  readonly segment: number;
  /** Whether it is an item of a list, or begins with a name and a colon or dash. */
  readonly isItem: boolean;
}

/** How many sentences or items two neighbours may be apart. */
const maxSegmentsApart = 3;
const maxTokens = 40;

export function findNeighbour(reading: Reading, source: Source): string | null {
  const claimed = findContentTokens(reading.text);
  if (claimed.length < 2 || claimed.length > maxTokens || isDenying(reading.text)) return null;
  const parts = splitParts(source);
  // A claim that one clause contains whole is about that clause.
  const hasWholeClaim = (tokens: readonly Token[]): boolean =>
    claimed.every((token) => tokens.some((other) => isAlike(token, other)));
  if (parts.some(({ tokens }) => hasWholeClaim(tokens))) return null;
  for (const part of parts)
    for (const other of parts) {
      if (part === other || Math.abs(part.segment - other.segment) > maxSegmentsApart) continue;
      if (source.segments[part.segment]!.source !== source.segments[other.segment]!.source) continue;
      const said = findExchanged(claimed, part, other);
      if (said !== null) return `the lines say that of "${said}"`;
    }
  return null;
}

/** The neighbour's name, if the claim has the beginning of one clause and the rest of the other. */
function findExchanged(claimed: readonly Token[], part: ClausePart, other: ClausePart): string | null {
  const isIn = (token: Token, { tokens }: ClausePart): boolean => tokens.some((one) => isAlike(token, one));
  if (!claimed.every((token) => isIn(token, part) || isIn(token, other))) return null;
  const subject = claimed.filter((token) => !isIn(token, other));
  const rest = claimed.filter((token) => !isIn(token, part));
  const [first] = rest;
  if (subject.length === 0 || first === undefined || subject.length > 4) return null;
  if (claimed.indexOf(subject.at(-1)!) > claimed.indexOf(first)) return null;
  const places = subject.map((token) => part.tokens.findIndex((one) => isAlike(token, one)));
  const [from, to] = [Math.min(...places), Math.max(...places)];
  // The first clause must continue, and the second must begin, with words that the claim lacks.
  const tokensBehind = part.tokens
    .slice(to + 1)
    .filter((token) => !isIn(token, other) && !isSaid(token, claimed));
  const start = other.tokens.findIndex((one) => isAlike(first, one));
  const neighbours = other.tokens
    .slice(0, start)
    .filter((token) => !isIn(token, part) && !isSaid(token, claimed));
  const [head] = neighbours;
  if (tokensBehind.length === 0 || head === undefined || neighbours.length > 4) return null;
  const at = other.tokens.indexOf(head);
  const end = other.tokens.indexOf(neighbours.at(-1)!);
  const areBothItems = part.isItem && other.isItem && from === 0 && at === 0;
  const [next, nextOther] = [part.tokens[to + 1], other.tokens[end + 1]];
  const isAlikeNext = next !== undefined && nextOther !== undefined && isAlike(next, nextOther);
  const isSamePlace =
    from === at || (from > 0 && at > 0 && isAlike(part.tokens[from - 1]!, other.tokens[at - 1]!));
  if (!areBothItems && !(isAlikeNext && isSamePlace)) return null;
  return neighbours.map(({ text }) => text).join(' ');
}

const isSaid = (token: Token, claimed: readonly Token[]): boolean =>
  claimed.some((one) => isAlike(one, token));

const isDenying = (text: string): boolean => findDenials(text).length > 0 || foreignDenial.test(text);
const foreignDenial =
  /(?<![\p{L}\p{N}])(?:niet|geen|nooit|nie|bez|żaden|aucun\p{L}*|ningún|não|nem|inte|ingen|ikke|не|нет|außer|sauf|salvo|oprócz|except|unless)(?![\p{L}\p{N}])/iu;

/** A clause that takes its subject from the one before. */
const dependentStart =
  /^\W*(?:it|they|this|that|these|those|he|she|which|who|er|sie|es|dies\p{L}*|das|il|elle|ils|elles|ce|cela|ceci|esto|eso|ello|este|esta|on|ona|ono|to|ten|ta)(?![\p{L}\p{N}])/iu;

const splitParts = cacheByKey(({ segments }: Source): readonly ClausePart[] =>
  segments.flatMap((segment, index): readonly ClausePart[] => {
    if (!isProse(segment) || segment.level > 0 || segment.moments.length > 2) return [];
    const isItem = hasLabel(segment);
    const texts = segment.text.split(
      /[;]\s+|,\s+(?:and|while|whereas|but|und|während|aber|et|tandis que|mais|y|mientras(?: que)?|pero|i|a|ale|en|maar)\s+/i,
    );
    return texts.flatMap((text) =>
      dependentStart.test(text) || isDenying(text) || unsureForm.test(text)
        ? []
        : [{ tokens: findContentTokens(text), segment: index, isItem: isItem && texts.length === 1 }],
    );
  }),
);

const unsureForm =
  /\?\s*$|\b(?:both|also|too|likewise|same|auch|ebenso|beide|aussi|también|również|także|anche|ook)\b/iu;

const hasLabel = ({ text, headings }: Segment): boolean =>
  headings.text !== '' || /^[\s*_`"'“]*[^.:=–—]{1,40}(?::|\s[=–—-])\s/u.test(text);

/** The tokens without words that only join others, in several languages. */
const findContentTokens = (text: string): readonly Token[] =>
  splitTokens(text).filter(
    ({ text: word, figure, moment }) =>
      figure !== undefined || moment !== undefined || !joiningWords.has(word.toLowerCase()),
  );

const joiningWords = new Set(
  (
    'a an the of to in on at by for with from as is are was were be been being has have had do does did it its this that these those and or then ' +
    'der die das den dem des ein eine einen einem einer eines und oder zu zum zur im am in an auf bei für von vom mit ist sind war waren wird werden wurde wurden hat haben sich ' +
    'le la les l un une des du de d et ou à au aux en dans pour par sur avec est sont était a ont se ce il ' +
    'el los las una unos unas del al y o en con para por es son era fue ha han se su ' +
    'i w z na do od o to jest są był było się dla przez ' +
    'het een van en op met voor is zijn wordt worden'
  ).split(' '),
);
