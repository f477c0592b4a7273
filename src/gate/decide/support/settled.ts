/**
 * Whether the rules about branches and order show a claim about code: they confirm its condition or order, and the
 * lines have everything else in it.
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
  /** Whether a branch of the code does all that the claim says, under the condition that the claim states. */
  readonly isBranched: boolean;
  /** Whether the lines contain both events of the claim completely, in the order that the claim states. */
  readonly isOrdered: boolean;
}

const conditionWord = /\b(?:if|when|whenever|once|unless|while|until|as soon as|with|without|for|where)\b/i;
const orderWord = /\b(?:before|after|then|until|first|last)\b/i;
/** Words whose meaning neither rule checks. */
const unsettledWord =
  /\b(?:even|both|neither|either|all|every|each|any|always|never|instead|rather|except|otherwise|else|because|since|so that|again|more|less|than|most|least|twice|and|or|but)\b|[,;:]\s(?!.*\b(?:then)\b)/i;

export function isSettled(reading: Reading, source: Source, { isBranched, isOrdered }: Settled): boolean {
  const { text } = reading;
  if (!isBranched && (!isOrdered || conditionWord.test(text))) return false;
  if (!isOrdered && orderWord.test(text)) return false;
  const rest = text.replace(/^(?:if|when|whenever|once|unless|while)\s[^,]+,\s/i, '');
  if (unsettledWord.test(isOrdered ? rest.replace(/,?\s(?:and\s)?then\s/i, ' ') : rest)) return false;
  if (findQuantifiers(text).some((word) => word !== 'only')) return false;
  const mainClause = rest.replace(
    /,?\s(?:only\s)?(?:if|when|whenever|once|unless|while|before|after|then)\s.*$/i,
    '',
  );
  // If the claim names a subject, it must be the definition of the lines.
  if (!passiveForm.test(mainClause) && dropDefinedName(mainClause, source) === null) return false;
  return (
    reading.terms.every((term) => isExact(findTerm(term, source)?.how)) &&
    reading.figures.every((figure) => isExact(findFigure(figure, reading, source)?.how)) &&
    splitWords(text).every(({ text: word, base }) => isWordSaid(word, base, source))
  );
}

const passiveForm = /^[^,;]*?\b(?:is|are|was|were)\s(?:not\s)?\p{L}+(?:ed|en|wn|nt|pt|lt|ut|et)\b/iu;

const isExact = (how: 'exact' | 'loose' | 'known' | undefined): boolean => how === 'exact' || how === 'known';

/** Words of the condition or the order, which the rules have already compared. */
const comparedWords = new Set(
  'before after first then only if when unless true false set unset not no none null nil undefined zero empty given found present missing absent early equal equals differs as nothing'.split(
    ' ',
  ),
);

function isWordSaid(word: string, base: string, { segments, known }: Source): boolean {
  if (isIdle(word) || comparedWords.has(word.toLowerCase()) || !/\p{L}/u.test(word) || word.length < 2)
    return true;
  if (findDirectedWords(word).length > 0)
    return segments.some((one) => one.words.some((given) => stem(given.text) === stem(word)));
  return isLight(word) || known.bases.has(base) || segments.some(({ bases }) => bases.has(base));
}
