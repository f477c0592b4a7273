/** Words that tie what follows to the rest of a sentence, and words that compare or join. */

import { findQuantifiers } from './turns.ts';

export const governingWords = new Set(
  'by from to in on at of with for into via since until before after under over than as without per between against through during within below above if when because while unless whereas although'.split(
    ' ',
  ),
);

/** Governing words that say the opposite of another, or deny. */
export const opposingWords = new Set(
  'by before after until since from to into with without above below over under if unless'.split(' '),
);
/** The same, even if the other has no such word: `hauled by the boats`. */
export const decidingWords = new Set('by before after until without unless'.split(' '));

const comparisons = /\b(?:more|less|fewer|least|most|greater|higher|lower|only|except)\b/giu;

/** Words for how many, how often and how much more, each once. */
export const findAmounts = (text: string): string =>
  [...new Set([...findQuantifiers(text), ...(text.toLowerCase().match(comparisons) ?? [])])].sort().join(' ');

/** What joins two clauses. */
export const joining = /[,;:]\s|\b(?:and|but|while|whereas|or)\b/i;

/** Words that put a time before or behind what is said. */
export const spanning = /\b(?:between|from|until|till|since|before|after|by|within|later|earlier)\b/i;

/** Words that stand before a noun. */
export const nounBefore =
  /(?:^|\b(?:a|an|the|this|that|these|those|its|their|no|of|in|on|from|by|with|for|via|into|as|at|using|uses|use|called|named)\s+(?:\p{L}+[\s-])?)["'`(]*$/iu;

/** What follows a subject. */
export const predicate = /^\s+(?:is|are|was|were|has|have|had|does|did|can|will|\p{Ll}+(?:s|ed))\b/u;

/** Endings of words that are seldom nouns. */
export const verbal = /(?:ed|ing|ly)$/;
