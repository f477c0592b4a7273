/**
 * Whether a claim about code is shown by a rule about its structure: the branch, the order or the values that it says,
 * with nothing else in it that the lines lack.
 */

import type { Reading } from '../../claim/reading.ts';
import { dropDefinedName } from '../../lines/definition.ts';
import { findFigure } from '../../lines/find-figure.ts';
import { findTerm } from '../../lines/find-term.ts';
import type { Source } from '../../lines/source.ts';
import { findDirectedWords } from '../../words/opposites.ts';
import { findQuantifiers } from '../../words/turns.ts';
import { isIdle, isLight, splitWords, stem } from '../../words/words.ts';

interface Settled {
  /** Whether a branch of the code does all that the claim says, in the case that it says. */
  readonly isBranched: boolean;
  /** Whether the lines have all of its two events, in the order that it says. */
  readonly isOrdered: boolean;
}

const conditional = /\b(?:if|when|whenever|once|unless|while|until|as soon as|with|without|for|where)\b/i;
const ordering = /\b(?:before|after|then|until|first|last)\b/i;
/** What neither the branch nor the order settles. */
const unsettled =
  /\b(?:even|both|neither|either|all|every|each|any|always|never|instead|rather|except|otherwise|else|because|since|so that|again|more|less|than|most|least|twice|and|or|but)\b|[,;:]\s(?!.*\b(?:then)\b)/i;

export function isSettled(reading: Reading, source: Source, { isBranched, isOrdered }: Settled): boolean {
  const { text } = reading;
  if (!isBranched && (!isOrdered || conditional.test(text))) return false;
  if (!isOrdered && ordering.test(text)) return false;
  const rest = text.replace(/^(?:if|when|whenever|once|unless|while)\s[^,]+,\s/i, '');
  if (unsettled.test(isOrdered ? rest.replace(/,?\s(?:and\s)?then\s/i, ' ') : rest)) return false;
  if (findQuantifiers(text).some((word) => word !== 'only')) return false;
  const main = rest.replace(
    /,?\s(?:only\s)?(?:if|when|whenever|once|unless|while|before|after|then)\s.*$/i,
    '',
  );
  // Which of two other things does it is not settled.
  if (!passive.test(main) && dropDefinedName(main, source) === null) return false;
  return (
    reading.terms.every((term) => isExact(findTerm(term, source)?.how)) &&
    reading.figures.every((figure) => isExact(findFigure(figure, reading, source)?.how)) &&
    splitWords(text).every(({ text: word, base }) => isSaid(word, base, source))
  );
}

const passive = /^[^,;]*?\b(?:is|are|was|were)\s(?:not\s)?\p{L}+(?:ed|en|wn|nt|pt|lt|ut|et)\b/iu;

const isExact = (how: 'exact' | 'loose' | 'known' | undefined): boolean => how === 'exact' || how === 'known';

/** Words of the case or of the order itself, which the rules have compared. */
const compared = new Set(
  'before after first then only if when unless true false set unset not no none null nil undefined zero empty given found present missing absent early equal equals differs as nothing'.split(
    ' ',
  ),
);

function isSaid(word: string, base: string, { segments, known }: Source): boolean {
  if (isIdle(word) || compared.has(word.toLowerCase()) || !/\p{L}/u.test(word) || word.length < 2)
    return true;
  if (findDirectedWords(word).length > 0)
    return segments.some((one) => one.words.some((given) => stem(given.text) === stem(word)));
  return isLight(word) || known.bases.has(base) || segments.some(({ bases }) => bases.has(base));
}
