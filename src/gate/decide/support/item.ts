/**
 * Matches a claim with an item that gives a name a value or a description, in any language: `BFS – breadth-first
 * search`, `Blue socket: LAN`.
 */
import type { Token } from '../align/tokens.ts';
import { isAlike } from './pieces.ts';

/**
 * The tokens of a claim without the verb and the articles that such an item does without, and those of the item without
 * an aside to its name: `BFS (Breadth-First Search) – …`. Null if the claim does not begin with that name and such a
 * verb.
 */
export function matchItem(
  needed: readonly Token[],
  given: readonly Token[],
  text: string,
): readonly [needed: readonly Token[], given: readonly Token[]] | null {
  const nameText = namePart.exec(text)?.[0];
  if (nameText === undefined || /[<>→|?!;,]/.test(nameText)) return null;
  const aside = /\([^()]*\)/.exec(nameText);
  const isAside = ({ at }: Token): boolean =>
    aside !== null && at > aside.index && at < aside.index + aside[0].length;
  const ownTokens = given.filter((token) => !isAside(token));
  const name = ownTokens.filter(({ at }) => at < nameText.length);
  const [first] = name;
  if (first === undefined || needed.length <= name.length) return null;
  const said = isDeterminer(needed[0]) && !isAlike(needed[0]!, first) ? needed.slice(1) : needed;
  if (!name.every((token, at) => said[at] !== undefined && isAlike(said[at], token))) return null;
  const rest = said.slice(name.length);
  if (rest.length < 2 || !copulas.has(rest[0]!.text.toLowerCase())) return null;
  const description = rest.slice(rest[0]!.text === 'to' && rest[1]!.text === 'jest' ? 2 : 1);
  const next = ownTokens[name.length];
  const isBare =
    description.length > 1 &&
    isDeterminer(description[0]) &&
    next !== undefined &&
    !isAlike(description[0]!, next);
  return [[...said.slice(0, name.length), ...(isBare ? description.slice(1) : description)], ownTokens];
}

/** The text up to the first colon, equals sign or dash, with or without markup. */
const namePart =
  /^[\s*_`"'“([]*[^\s:=](?:[^:=–—]{0,60}?|\d+[–—]\d+)[*_`"'”)\]]*(?::[*_]*(?=\s)|\s+[=–—-]+(?=\s))/u;

/** Verbs that only say what a thing is. */
const copulas = new Set(
  'is are was were means equals ist sind war waren heißt bedeutet beträgt lautet zijn es son era fue est sont était to jest są był była było é são è sono är er'.split(
    ' ',
  ),
);
const determiners = new Set(
  'a an the der die das den dem ein eine einen el la los las un una unos unas le les il lo i gli de het een o os as um uma en ett'.split(
    ' ',
  ),
);
export const isDeterminer = (token: Token | undefined): boolean =>
  token !== undefined && determiners.has(token.text.toLowerCase());
