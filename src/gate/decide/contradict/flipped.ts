/** Turns one thing in a claim into its opposite. If the lines show the turned claim, they contradict the claim. */

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
  const found: string[] = [];
  const bare = dropDenial(text);
  if (bare !== null && !isDeniedNearby(reading, source)) found.push(bare);
  found.push(...createExchanges(reading, source));
  for (const { word, at } of findDirectedWords(text))
    for (const other of findOpposites(word)) {
      if (isSameInProse(word, other) || twoSided.has(word) || hasWord(text, other)) continue;
      found.push(`${text.slice(0, at)}${other}${text.slice(at + word.length)}`);
    }
  return found.slice(0, maxFlips);
}

/** The claim with two names, or two figures, exchanged. */
function createExchanges({ text, terms, figures }: Reading, { segments }: Source): readonly string[] {
  const found: string[] = [];
  // Lines of code that have both do not tell which of `write_cache` and JSON writes the other.
  const isCode = segments.some((segment) => segment.isCode && !segment.isRecord);
  // In other languages than English, the order of two names does not tell either.
  const named = isCode || !isEnglish(text) ? [] : terms;
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
        if (
          one.kind !== two.kind ||
          /^(?:,| and| or|\/|,? (?:and|or)|\s)+\s*$/.test(between) ||
          symmetric.test(between)
        )
          continue;
        const [a, b] = [text.slice(one.start, one.end), text.slice(two.start, two.end)];
        if (a.toLowerCase() === b.toLowerCase()) continue;
        found.push(`${text.slice(0, one.start)}${b}${between}${a}${text.slice(two.end)}`);
      }
  return found.slice(0, maxExchanges);
}

const exchangeable = new Set(['name', 'path', 'address']);

/** Text between two things whose order does not matter. */
const symmetric =
  /\b(?:and|or|between|with|together|both|equals?|same|like|versus|vs|against|differs?|besides|is|are|was|called|named)\b/i;

/**
 * The reason against a claim that something is done, where the lines have it only as undone: `reviewed` for
 * `unreviewed`.
 */
export function findUndone({ text, words }: Reading, { segments, known }: Source): string | null {
  // What should be done, or is done again, is undone.
  const { negation, modal, proposal } = findTurns(text);
  if (negation || modal || proposal || supposing.test(text)) return null;
  // In code, a name may say this of another thing.
  if (segments.some(({ isCode, isRecord }) => isCode && !isRecord)) return null;
  const given = segments.flatMap((segment) =>
    segment.words.map(({ text: word, at }) => ({ word: word.toLowerCase(), at, segment })),
  );
  for (const { text: word, at } of words) {
    const said = word.toLowerCase();
    if (said.length < 5 || /\p{L}-$/u.test(text.slice(0, at)) || known.text.toLowerCase().includes(said))
      continue;
    if (segments.some(({ bases }) => bases.has(toComparable(said)))) continue;
    const alike = given.filter((one) => one.word.endsWith(said));
    const [first] = alike;
    // What is `rebalanced` is balanced, and code that refuses `unsigned` files asks for signed ones.
    if (first === undefined || !alike.every((one) => isUndone(one, said))) continue;
    return `the lines say "${first.word}" where the claim says "${word}"`;
  }
  return null;
}

const supposing =
  /^had\b|\b(?:only|if|when|unless|until|before|again|skip\p{L}*|far from|almost|nearly|instead)\b/iu;

function isUndone(
  { word, at, segment }: { readonly word: string; readonly at: number; readonly segment: Segment },
  said: string,
): boolean {
  const rest = `${segment.text.slice(0, at)} ${segment.text.slice(at + word.length)}`;
  return /^(?:un|in|im|dis|non)-?$/.test(word.slice(0, -said.length)) && !mayDeny(rest);
}

/** Words that may be true of a thing together with their opposites. */
const twoSided = new Set(
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

/** Verbs that a name of code seldom has by chance. They count if the claim begins with them. */
const verbs = new Set(
  'read write acquire release open close add remove delete insert append prepend push pull encode decode lock unlock enable disable encrypt decrypt compress decompress serialize deserialize import export upload download load store save send receive connect disconnect attach detach increase decrease increment decrement show hide allow deny accept reject mount unmount install uninstall subscribe unsubscribe pause resume start stop register deregister expand collapse'.split(
    ' ',
  ),
);
const adjectives = new Set(
  'first last min max minimum maximum ascending descending prefix suffix upper lower inner outer public private earliest latest smallest largest oldest newest'.split(
    ' ',
  ),
);
const shapes: Readonly<Record<string, string>> = {
  minimum: 'min',
  maximum: 'max',
  begin: 'start',
};
const dropEnding = (word: string): string =>
  shapes[word] ?? word.replace(/(?<=\p{L}{3})(?:ed|ing|es|s|d)$/u, '');
const listOpposites = (word: string): ReadonlySet<string> =>
  new Set(
    [...findOpposites(word), ...findOpposites(dropEnding(word))].flatMap((one) => [one, dropEnding(one)]),
  );
const isKnownWord = (word: string): boolean =>
  [word, dropEnding(word), `${dropEnding(word)}e`].some((one) => verbs.has(one) || adjectives.has(one));
const isBeginning = (text: string, at: number): boolean =>
  /^\s*(?:(?:it|this|\p{L}+\(\)|`[^`]*`)\s+)?(?:also\s+|then\s+)?$/iu.test(text.slice(0, at));

const definition =
  /^\s*(?:(?:export|default|public|private|protected|static|async|abstract|final|override|pub(?:\([^)]*\))?|unsafe|inline|const)\s+)*(?:def|func|function\*?|fn|fun|sub|method)\s+(?:\([^)]*\)\s*)?(?:self\.)?(?<name>[\p{L}_$][\p{L}\p{N}_$]*[!?]?)/u;

/**
 * The reason against a claim about lines of one function, if the name of the function says the opposite of a word that
 * the claim begins with or names.
 */
export function findOppositeName({ text }: Reading, { segments }: Source): string | null {
  const names = segments.flatMap(({ isCode, text: line }) =>
    isCode ? [definition.exec(line)?.groups?.['name'] ?? ''] : [],
  );
  const [name, ...more] = names.filter((one) => one !== '');
  if (name === undefined || more.length > 0 || findDenials(text).length > 0) return null;
  const parts = splitName(name).map((part) => part.toLowerCase());
  const held = new Set(
    segments.flatMap(({ words }) => words.flatMap((word) => [word.text.toLowerCase(), word.base])),
  );
  const directedWords = findDirectedWords(text);
  for (const { word, at } of directedWords) {
    const isAdjective = adjectives.has(word) || adjectives.has(dropEnding(word));
    if (!isKnownWord(word) || (!isAdjective && !isBeginning(text, at))) continue;
    if (held.has(word) || held.has(dropEnding(word)) || held.has(toComparable(word))) continue;
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
 * The reason against a claim such as `an old user` if the lines have `new user` and nothing old: the next word is the
 * same.
 */
export function findOppositeBeside({ text }: Reading, { segments, known }: Source): string | null {
  const directedWords = findDirectedWords(text);
  const all = [
    { isCode: true, words: splitWords(known.text) },
    ...segments.map((segment) => ({ isCode: segment.isCode && !segment.isRecord, words: segment.words })),
  ].map(({ isCode, words }) => ({
    isCode,
    words: words.map((word) => ({ ...word, text: word.text.toLowerCase() })),
  }));
  for (const { word, at } of directedWords) {
    const beside = splitWords(/^[\s-]+\p{L}{3,}/u.exec(text.slice(at + word.length))?.[0] ?? '')[0];
    if (beside === undefined || isIdle(beside.text) || isIdle(word) || loose.has(word)) continue;
    if (
      all.some(({ words }) =>
        words.some((one) => one.text === word || one.text === `${word}er` || one.base === toComparable(word)),
      )
    )
      continue;
    const other = findOpposites(word).find(
      (one) =>
        !isIdle(one) &&
        !loose.has(one) &&
        !directedWords.some((own) => own.word === one) &&
        all.some(
          ({ isCode, words }) =>
            (!isCode || isKnownWord(word)) &&
            words.some((given, index) => given.text === one && words[index + 1]?.base === beside.base),
        ),
    );
    if (other !== undefined)
      return `the lines say "${other} ${beside.text}" where the claim says "${word} ${beside.text}"`;
  }
  return null;
}

/** Opposites that the lines may say of other things. */
const loose = new Set(
  'before after earlier later next previous single several multiple one many all every each any some few most both half whole'.split(
    ' ',
  ),
);

const least =
  /(?:\b(?:at least|no (?:less|fewer) than|more than|greater than|over|above|exceeds?|exceeding|a minimum of|minimum|min|from|not (?:less|fewer) than|longer than|older than|beyond|upwards of)|>=?|≥)\s*$/i;
const greatest =
  /(?:\b(?:at most|no (?:more|greater|longer) than|less than|fewer than|smaller than|under|below|a maximum of|maximum|max|up to|not more than|within|shorter than|younger than|limited to)|<=?|≤)\s*$/i;

/** The reason against a bound such as `at least 5` if the lines have that figure only as `at most 5`. */
export function findOppositeBound(reading: Reading, source: Source): string | null {
  for (const { start, text, value, dimension } of reading.figures) {
    const before = reading.text.slice(0, start);
    const way = least.test(before) ? 'least' : greatest.test(before) ? 'most' : null;
    if (way === null || findDenials(before).length > 0) continue;
    const ways = source.segments.flatMap((segment) =>
      segment.isCode && !segment.isRecord
        ? []
        : segment.figures
            .filter((figure) => figure.value === value && figure.dimension === dimension)
            .map((figure) => {
              const own = segment.text.slice(0, figure.start);
              return least.test(own) ? 'least' : greatest.test(own) ? 'most' : 'plain';
            }),
    );
    const other = way === 'least' ? 'most' : 'least';
    if (ways.length > 0 && ways.every((one) => one === other))
      return `the lines have ${text} as a limit on the other side`;
  }
  return null;
}

const alone = /(?<!one and )\b(?:only|just) (?:the )?(?:very )?(?:first|last|one|a single)\b/i;
const singles =
  /\b(?:first|last|one|once|single|next|break|head|tail|find|pop|peek|1|0|only|sole|unique|min|max)\b|\[-?[01]\]|_?(?:first|last|single|next)|(?:First|Last|Single|Next)/u;

/** The words of a claim such as `only the first` if nothing in the code chooses one of several. */
export function findUnsaidSingle({ text }: Reading, { segments }: Source): string | null {
  const said = alone.exec(text)?.[0];
  const isCode = segments.length > 0 && segments.some((segment) => segment.isCode && !segment.isRecord);
  if (said === undefined || !isCode || segments.some((segment) => segment.isRecord)) return null;
  return segments.some((segment) => singles.test(segment.text)) ? null : said;
}
