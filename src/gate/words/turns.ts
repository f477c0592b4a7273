/** Turns of speech that lines alone seldom settle, and turns that exclude a term from the claim. */

const negation =
  /\b(?:not|no|never|none|nothing|nobody|nowhere|neither|nor|without|cannot|can't|isn't|aren't|wasn't|weren't|don't|doesn't|didn't|won't|wouldn't|shouldn't|couldn't|hasn't|haven't|hadn't|lack(?:s|ed|ing)?|fail(?:s|ed)? to|unable|impossible|prevent(?:s|ed)?|avoid(?:s|ed)?|refuse[sd]?|un(?:affected|changed|able|available|used|set|known)|absent|missing|nicht|kein\w*|nie|ohne|ne|pas|jamais|sans|nunca|sin|non)\b|不|没|無|ない/iu;
const quantifier =
  /\b(?:all|both|half|every|each|always|(?<!-)only|solely|exclusively|any|anywhere|everywhere|entire(?:ly)?|whole|complete(?:ly)?|exactly|none|most|some(?:times)?|few|several|many|often|rarely|usually|mostly|at least|at most|alle|jede\w*|immer|nur|tous|toujours|seulement|siempre|solo|todos)\b|全部|总是|只/iu;
const modal =
  /\b(?:may|might|could|can|would|probably|likely|possibly|perhaps|presumably|seems?|appears?|usually|often|sometimes)\b/i;
const cause =
  /\b(?:because|therefore|hence|thus|so that|since|as a result|which means|due to|leads? to|caus(?:es?|ed|ing)|in order to|results? in|consequently|means that|implies|so)\b/i;

const proposal =
  /\b(?:should(?:n't)?|has to|have to|ha(?:s|ve) to be|needs? to|ought to|must|the fix|a fix|recommend\w*|suggest\w*|propos\w*|consider|would be better)\b/i;

export interface Turns {
  readonly negation: boolean;
  readonly quantifier: boolean;
  readonly modal: boolean;
  readonly cause: boolean;
  /** Whether it recommends something. */
  readonly proposal: boolean;
}

export const findTurns = (text: string): Turns => {
  const bare = dropValues(text)
    // The figure itself says how often.
    .replace(/\b(?:every|each|at least|at most|exactly)\s+(?=\d)/gi, '');
  return {
    negation: negation.test(bare),
    quantifier: quantifier.test(bare),
    modal: modal.test(bare),
    cause: cause.test(bare),
    proposal: proposal.test(bare),
  };
};

/** Words for a number that is not told. Another such word says nothing else. */
const quantity =
  /^(?:several|couple|many|few|some|various|numerous|multiple|single|dozens?|hundreds?|thousands?|pair|lots?|most|half|double|extra|total|entire|whole)$/i;
export const isQuantity = (word: string): boolean => quantity.test(word);

/** Words for how many and how often. Words with the same meaning become one. */
export const findQuantifiers = (text: string): readonly string[] =>
  (text.replace(/`[^`]*`|"[^"]*"/g, ' ').match(new RegExp(quantifier.source, 'giu')) ?? [])
    .map((word) => alike[word.toLowerCase()] ?? word.toLowerCase())
    .sort();

const alike: Readonly<Record<string, string>> = {
  every: 'all',
  each: 'all',
  entire: 'all',
  entirely: 'all',
  whole: 'all',
  complete: 'all',
  completely: 'all',
  solely: 'only',
  exclusively: 'only',
};

const strict =
  /\b(?:not|no|never|none|nothing|nobody|nowhere|neither|nor|without|cannot|nicht|kein\p{L}*|nie|ohne|ne|pas|jamais|sans|nunca|sin)\b|n't\b/giu;

/** Negations, outside code and quotes. */
export const findDenials = (text: string): readonly string[] => dropValues(text).match(strict) ?? [];

/** Words of a sentence or line that may carry a denial in themselves. */
const negative =
  /\b(?:not|no|none|null|nil|never|nor|neither|without|cannot|false|off|0|skip\p{L}*|ignor\p{L}*|except|unless|until|disabl\p{L}*|fail\p{L}*|un(?:able|available|known|set|used|changed|defined|supported|expected|success\p{L}*|auth\p{L}*|affected|likely|less|needed|necessary|handled|safe|sorted|touched|modified|restricted|limited|reachable|healthy|resolved|verified)|dis(?:allow|connect|card|agree|appear)\p{L}*|non|suppress\p{L}*|instead|only|avoid\p{L}*|prevent\p{L}*|missing|absent|reject\p{L}*|refus\p{L}*|den(?:y|ies|ied)|forbid\p{L}*|prohibit\p{L}*|block(?:s|ed)?|stop\p{L}*|remov\p{L}*|drop\p{L}*|deprecat\p{L}*|lack\p{L}*|lost|invalid|abort\p{L}*|expire\p{L}*|discard\p{L}*|exclud\p{L}*|omit\p{L}*)\b|n't|!(?!=)|!==?|~/iu;

export const mayDeny = (text: string): boolean => negative.test(text);

export const isNegated = (text: string): boolean => negation.test(text);

const denied =
  /(?:\b(?:no|not|without|never|nor|neither|instead of|rather than|lacks?|missing|absent|unlike|except(?: for)?|other than|apart from|besides|excluding|kein\w*|ohne)|n't)(?:\s+(?:a|an|the|any|to|use|uses|used|using|call|calls|called|calling|have|has|be|been|in|its?|set|return|returns|contain|contains|define|defines|defined|support|supports|handle|handles|include|includes|import|imports|mention|mentions|need|needs|exist|exists|of|via|by|with|pass|passes|raise|raises|check|checks|take|takes|accept|accepts|directly|just|only))*\s*["'(]*$/i;
const suggested =
  /(?:^(?:instead,? )?use|\b(?:should(?:n't)?|could|would|consider|prefer|suggest(?:ed)?|recommend(?:ed)?|perhaps|maybe|let's|please|the fix(?: is| would be| belongs)?|needs? to|has to|have to|must|rename(?:d)? to|renaming|might want|better|how about|what about|why not|try|want to|TODO|propose[sd]?|ideally))(?:\s+[\p{L}'`,-]+){0,3}\s*[("'[`]*$/iu;
const likened =
  /\b(?:e\.g\.|eg\.?|i\.e\.|for example|for instance|such as|like|(?:similar|akin)(?: in \p{L}+)? to|analogous to|equivalent to|same as|(?:variant|version|extension|generali[sz]ation|counterpart|equivalent|analog(?:ue)?) (?:of|to)|(?:reverse|inverse|opposite|complement) (?:of|to)|(?:returned|obtained|produced|accepted|understood|supported|described|defined|specified) (?:by|from)|modell?ed (?:on|after)|see(?: also)?|cf\.?|z\. ?B\.)(?:\s+(?:the|a|an|also))?\s*[("'[`:]*$/iu;

export const isComparedBefore = (before: string): boolean => likened.test(before);

/** The text without values. `None` after other words is a value, and denies nothing. */
const dropValues = (text: string): string =>
  text.replace(/`[^`]*`|"[^"]*"/g, ' ').replace(/(?<=[^\s.;:!?] )None\b(?! of\b)/g, ' ');

/** Whether the words before a term say that it is absent, merely proposed, or a substitute. */
export function mayBeMissing(before: string, isPath = false): boolean {
  if (likened.test(before)) return true;
  const clause = before.split(/[.;!?:]\s/).at(-1) ?? before;
  return denied.test(clause) || (!isPath && suggested.test(clause));
}

/**
 * Whether a text has a multiple, such as `double 20` or `half of 3`. It means another figure than the one that it
 * contains.
 */
export const isMultiple = (text: string): boolean =>
  /\b(?:double|triple|quadruple|twice|thrice|half|(?:a |one )?(?:third|quarter) of|\w+ times)(?=\s+(?:as |of |the |that )?[~$]?\d)/i.test(
    text,
  );
