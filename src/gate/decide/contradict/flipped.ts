/** Reverses a claim in one point. If the lines show the reversed claim, they contradict the original. */

import type { Reading } from '../../claim/reading.ts';
import type { Segment, Source } from '../../lines/source.ts';
import { isEnglish } from '../../words/languages.ts';
import { findDirectedWords, findOpposites, isSameInProse } from '../../words/opposites.ts';
import { findDenials, findTurns, mayDeny } from '../../words/turns.ts';
import { isIdle, splitName, splitWords, toComparable } from '../../words/words.ts';
import { isDeniedNearby } from './denied.ts';

const maxFlips = 10;
const maxExchanges = 4;

/** The claim without its only denial, or with one word replaced by its opposite. */
export function createFlips(reading: Reading, source: Source): readonly string[] {
  const { text } = reading;
  const flips: string[] = [];
  const undenied = dropDenial(text);
  if (undenied !== null && !isDeniedNearby(reading, source)) flips.push(undenied);
  flips.push(...createExchanges(reading, source));
  for (const { word, at } of findDirectedWords(text))
    for (const other of findOpposites(word)) {
      if (isSameInProse(word, other) || twoSidedWords.has(word) || hasWord(text, other)) continue;
      flips.push(`${text.slice(0, at)}${other}${text.slice(at + word.length)}`);
    }
  return flips.slice(0, maxFlips);
}

/** The claim with two names, or two figures, exchanged. */
function createExchanges({ text, terms, figures }: Reading, { segments }: Source): readonly string[] {
  const found: string[] = [];
  // In code, the order of two names does not tell which of them acts on the other.
  const hasCode = segments.some((segment) => segment.isCode && !segment.isRecord);
  // In other languages than English, the order of two names does not tell either.
  const named = hasCode || !isEnglish(text) ? [] : terms;
  const places = [
    named
      .map(({ start, end, kind }) => ({ start, end, kind: kind === 'proper' ? 'name' : kind }))
      .filter(({ kind }) => exchangeable.has(kind)),
    figures.filter(({ isWord }) => !isWord).map(({ start, end }) => ({ start, end, kind: 'figure' })),
  ];
  for (const all of places)
    for (const [index, one] of all.entries())
      for (const two of all.slice(index + 1)) {
        const between = text.slice(one.end, two.start);
        // Members of one list may be in any order.
        if (one.kind !== two.kind || /^(?:[\s,/]| and| or)+$/.test(between) || symmetricJoin.test(between))
          continue;
        const [a, b] = [text.slice(one.start, one.end), text.slice(two.start, two.end)];
        if (a.toLowerCase() === b.toLowerCase()) continue;
        found.push(`${text.slice(0, one.start)}${b}${between}${a}${text.slice(two.end)}`);
      }
  return found.slice(0, maxExchanges);
}

const exchangeable = new Set(['name', 'path', 'address']);

/** Text between two things whose order does not matter. */
const symmetricJoin =
  /\b(?:and|or|between|with|together|both|equals?|same|like|versus|vs|against|differs?|besides|is|are|was|called|named)\b/i;

/**
 * The reason against a claim such as `reviewed` if the lines have that word only with a negative prefix: `unreviewed`.
 */
export function findUndone({ text, words }: Reading, { segments, known }: Source): string | null {
  // What should be done, or is done again, may well be undone before.
  const { negation, modal, proposal } = findTurns(text);
  if (negation || modal || proposal || supposingWord.test(text)) return null;
  // In code, a name may say this of another thing.
  if (segments.some(({ isCode, isRecord }) => isCode && !isRecord)) return null;
  const givenWords = segments.flatMap((segment) =>
    segment.words.map(({ text: word, at }) => ({ word: word.toLowerCase(), at, segment })),
  );
  for (const { text: word, at } of words) {
    const said = word.toLowerCase();
    if (said.length < 5 || /\p{L}-$/u.test(text.slice(0, at)) || known.text.toLowerCase().includes(said))
      continue;
    if (segments.some(({ bases }) => bases.has(toComparable(said)))) continue;
    const longerWords = givenWords.filter((one) => one.word.endsWith(said));
    const [first] = longerWords;
    // `rebalanced` is no opposite of `balanced`, and text that refuses `unsigned` files asks for signed ones.
    if (first === undefined || !longerWords.every((one) => isUndone(one, said))) continue;
    return `the lines say "${first.word}" where the claim says "${word}"`;
  }
  return null;
}

const supposingWord =
  /^had\b|\b(?:only|if|when|unless|until|before|again|skip\p{L}*|far from|almost|nearly|instead)\b/iu;

function isUndone(
  { word, at, segment }: { readonly word: string; readonly at: number; readonly segment: Segment },
  said: string,
): boolean {
  const rest = `${segment.text.slice(0, at)} ${segment.text.slice(at + word.length)}`;
  return /^(?:un|in|im|dis|non)-?$/.test(word.slice(0, -said.length)) && !mayDeny(rest);
}

/** Words that may be true of a thing together with their opposites. */
const twoSidedWords = new Set(
  'different same before after earlier later first last next previous start end begin any some one several single first set known read reads write writes source target input output inputs outputs next up down out over under client server parent child sender receiver caller callee'.split(
    ' ',
  ),
);

const hasWord = (text: string, word: string): boolean => new RegExp(`\\b${dropEnding(word)}`, 'i').test(text);

function dropDenial(text: string): string | null {
  if (findDenials(text).length !== 1) return null;
  const bare = text
    .replace(/^\s*it is not (?:so|true|the case) that\s+/i, '')
    .replace(/\b(?:does|do|did)(?: not|n't)\s+/i, '')
    .replace(/\b(is|are|was|were|has|have|had|will|can|could|must|should)(?: not|n't)\b(?! only)/i, '$1')
    .replace(/\bcannot\b/i, 'can')
    .replace(/\bnever\s+/i, '');
  return bare === text ? null : bare;
}

/** Verbs that are seldom in names by chance. They count only at the beginning of the claim. */
const knownVerbs = new Set(
  'read write acquire release open close add remove delete insert append prepend push pull encode decode lock unlock enable disable encrypt decrypt compress decompress serialize deserialize import export upload download load store save send receive connect disconnect attach detach increase decrease increment decrement show hide allow deny accept reject mount unmount install uninstall subscribe unsubscribe pause resume start stop register deregister expand collapse'.split(
    ' ',
  ),
);
const knownAdjectives = new Set(
  'first last min max minimum maximum ascending descending prefix suffix upper lower inner outer public private earliest latest smallest largest oldest newest'.split(
    ' ',
  ),
);
const shortForms: Readonly<Record<string, string>> = {
  minimum: 'min',
  maximum: 'max',
  begin: 'start',
};
const dropEnding = (word: string): string =>
  shortForms[word] ?? word.replace(/(?<=\p{L}{3})(?:ed|ing|es|s|d)$/u, '');
const listOpposites = (word: string): ReadonlySet<string> =>
  new Set(
    [...findOpposites(word), ...findOpposites(dropEnding(word))].flatMap((one) => [one, dropEnding(one)]),
  );
const isKnownWord = (word: string): boolean =>
  [word, dropEnding(word), `${dropEnding(word)}e`].some(
    (one) => knownVerbs.has(one) || knownAdjectives.has(one),
  );
const isBeginning = (text: string, at: number): boolean =>
  /^\s*(?:(?:it|this|\p{L}+\(\)|`[^`]*`)\s+)?(?:also\s+|then\s+)?$/iu.test(text.slice(0, at));

const definitionHead =
  /^\s*(?:(?:export|default|public|private|protected|static|async|abstract|final|override|pub(?:\([^)]*\))?|unsafe|inline|const)\s+)*(?:def|func|function\*?|fn|fun|sub|method)\s+(?:\([^)]*\)\s*)?(?:self\.)?(?<name>[\p{L}_$][\p{L}\p{N}_$]*[!?]?)/u;

/**
 * The reason against a claim about lines of one function, if the name of the function says the opposite of a word that
 * the claim begins with or names.
 */
export function findOppositeName({ text }: Reading, { segments }: Source): string | null {
  const names = segments.flatMap(({ isCode, text: line }) =>
    isCode ? [definitionHead.exec(line)?.groups?.['name'] ?? ''] : [],
  );
  const [name, ...more] = names.filter((one) => one !== '');
  if (name === undefined || more.length > 0 || findDenials(text).length > 0) return null;
  const parts = splitName(name).map((part) => part.toLowerCase());
  const lineWords = new Set(
    segments.flatMap(({ words }) => words.flatMap((word) => [word.text.toLowerCase(), word.base])),
  );
  const directedWords = findDirectedWords(text);
  for (const { word, at } of directedWords) {
    const isAdjective = knownAdjectives.has(word) || knownAdjectives.has(dropEnding(word));
    if (!isKnownWord(word) || (!isAdjective && !isBeginning(text, at))) continue;
    if (lineWords.has(word) || lineWords.has(dropEnding(word)) || lineWords.has(toComparable(word))) continue;
    const other = parts.find((part) => isKnownWord(part) && listOpposites(word).has(part));
    if (
      other === undefined ||
      directedWords.some((one) => one.word === other || dropEnding(one.word) === other)
    )
      continue;
    return `the lines are of "${name}", where the claim says "${word}"`;
  }
  return null;
}

/**
 * The reason against a claim such as `an old user` if the lines have `new user`, the opposite before the same word, and
 * never `old`.
 */
export function findOppositeBeside({ text }: Reading, { segments, known }: Source): string | null {
  const directedWords = findDirectedWords(text);
  const wordLists = [
    { isCode: true, words: splitWords(known.text) },
    ...segments.map((segment) => ({ isCode: segment.isCode && !segment.isRecord, words: segment.words })),
  ].map(({ isCode, words }) => ({
    isCode,
    words: words.map((word) => ({ ...word, text: word.text.toLowerCase() })),
  }));
  for (const { word, at } of directedWords) {
    const nextWord = splitWords(/^[\s-]+\p{L}{3,}/u.exec(text.slice(at + word.length))?.[0] ?? '')[0];
    if (nextWord === undefined || isIdle(nextWord.text) || isIdle(word) || looseWords.has(word)) continue;
    if (
      wordLists.some(({ words }) =>
        words.some((one) => one.text === word || one.text === `${word}er` || one.base === toComparable(word)),
      )
    )
      continue;
    const other = findOpposites(word).find(
      (one) =>
        !isIdle(one) &&
        !looseWords.has(one) &&
        !directedWords.some((own) => own.word === one) &&
        wordLists.some(
          ({ isCode, words }) =>
            (!isCode || isKnownWord(word)) &&
            words.some((given, index) => given.text === one && words[index + 1]?.base === nextWord.base),
        ),
    );
    if (other !== undefined)
      return `the lines say "${other} ${nextWord.text}" where the claim says "${word} ${nextWord.text}"`;
  }
  return null;
}

/** Words whose opposites in the lines may be about other things. */
const looseWords = new Set(
  'before after earlier later next previous single several multiple one many all every each any some few most both half whole'.split(
    ' ',
  ),
);

const lowerBound =
  /(?:\b(?:at least|no (?:less|fewer) than|more than|greater than|over|above|exceeds?|exceeding|a minimum of|minimum|min|from|not (?:less|fewer) than|longer than|older than|beyond|upwards of)|>=?|≥)\s*$/i;
const upperBound =
  /(?:\b(?:at most|no (?:more|greater|longer) than|less than|fewer than|smaller than|under|below|a maximum of|maximum|max|up to|not more than|within|shorter than|younger than|limited to)|<=?|≤)\s*$/i;

/** The reason against a bound such as `at least 5` if the lines have that figure only as the opposite bound. */
export function findOppositeBound(reading: Reading, source: Source): string | null {
  for (const { start, text, value, dimension } of reading.figures) {
    const before = reading.text.slice(0, start);
    const boundSide = lowerBound.test(before) ? 'least' : upperBound.test(before) ? 'most' : null;
    if (boundSide === null || findDenials(before).length > 0) continue;
    const givenSides = source.segments.flatMap((segment) =>
      segment.isCode && !segment.isRecord
        ? []
        : segment.figures
            .filter((figure) => figure.value === value && figure.dimension === dimension)
            .map((figure) => {
              const textBefore = segment.text.slice(0, figure.start);
              return lowerBound.test(textBefore) ? 'least' : upperBound.test(textBefore) ? 'most' : 'plain';
            }),
    );
    const other = boundSide === 'least' ? 'most' : 'least';
    if (givenSides.length > 0 && givenSides.every((one) => one === other))
      return `the lines have ${text} as a limit on the other side`;
  }
  return null;
}

const onlyOneForm = /(?<!one and )\b(?:only|just) (?:the )?(?:very )?(?:first|last|one|a single)\b/i;
const singleChoice =
  /\b(?:first|last|one|once|single|next|break|head|tail|find|pop|peek|1|0|only|sole|unique|min|max)\b|\[-?[01]\]|_?(?:first|last|single|next)|(?:First|Last|Single|Next)/u;

/** The words of a claim such as `only the first` if no line of the code selects a single item. */
export function findUnsaidSingle({ text }: Reading, { segments }: Source): string | null {
  const said = onlyOneForm.exec(text)?.[0];
  const hasCode = segments.length > 0 && segments.some((segment) => segment.isCode && !segment.isRecord);
  if (said === undefined || !hasCode || segments.some((segment) => segment.isRecord)) return null;
  return segments.some((segment) => singleChoice.test(segment.text)) ? null : said;
}
