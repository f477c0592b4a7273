/**
 * Words of a query that occur nowhere, read as others that do: as its forms in the language that the material is
 * written in, as the nearest word (one letter wrong, missing, added, or two swapped), or, in a short query, as words
 * that begin with it. A word that occurs in any form, and a name as code writes it, is left as it is.
 */
import type { Corpus } from '../lexical/index.ts';
import type { Respelling } from '../search.ts';
import { splitTerms } from '../tokens/tokens.ts';
import { listInflections } from './inflections.ts';
import { detectLanguage, type Language, minStem, stemInLanguage } from './languages.ts';
import { findAbbreviations, findSynonyms } from './synonyms.ts';

/** Letters. Of shorter words nearly all neighbours are words, too. */
const minCorrectedLength = 5;
/** Letters that a word has to have before it is completed. */
const minCompletedLength = 4;
/** In a longer query a word is seldom unfinished, and the others find what is asked for. */
const maxWordsToComplete = 3;
/** Each word costs some hundred look-ups. */
const maxUnknownWords = 8;
/** Forms, or words with this beginning, that are searched for in place of one word. */
const maxReplacements = 3;
/** A word that stands in fewer chunks is as likely an error as the one that was asked. */
const minChunks = 2;
const latin = 'abcdefghijklmnopqrstuvwxyz';
const cyrillic = 'абвгдежзиклмнопрстуфхцчшщъыьэюя';
/** Plain words only: what stands beside a digit, a sign of a name or a backtick is meant as it is written. */
const plainWord =
  /(?<![\p{L}\p{N}\p{M}_$`./:-])\p{Lu}?[\p{Ll}\p{M}]{3,30}(?![\p{L}\p{N}\p{M}_$`/:]|[.-][\p{L}\p{N}])/gu;

/** What of an index this looks at. */
export type KnownWords = Pick<Corpus, 'documentFrequency' | 'liveChunks' | 'findTermsByPrefix'>;

export interface SpelledQuery {
  readonly query: string;
  readonly respelled: readonly Respelling[];
}

export function respell(query: string, corpus: KnownWords): SpelledQuery {
  const asked = new Map([...query.matchAll(plainWord)].map(([word]) => [word.toLowerCase(), toTerm(word)]));
  const isShort = query.trim().split(/\s+/).length <= maxWordsToComplete;
  const unknownWords = [...asked]
    .filter(([, term]) => term !== null && !occurs(term, corpus))
    .slice(0, maxUnknownWords);
  const language = unknownWords.length === 0 ? null : detectLanguage(corpus);
  // One reading of all terms serves every word.
  let known: readonly string[] | undefined;
  const findByPrefix = (start: string): readonly string[] => {
    known ??= corpus.findTermsByPrefix([...new Set(unknownWords.map(([, term]) => term!.slice(0, minStem)))]);
    return known.filter((term) => term.startsWith(start));
  };
  const respelled = unknownWords.flatMap(([word, term]): Respelling[] => {
    const forms = language === null ? [] : pickMostFrequent(findForms(term!, language, findByPrefix), corpus);
    if (forms.length > 0) return [{ asked: word, read: forms.join(' '), by: 'form' }];
    const nearWord = term!.length < minCorrectedLength ? undefined : findNearest(term!, corpus);
    if (nearWord !== undefined) return [{ asked: word, read: nearWord, by: 'error' }];
    const completed = isShort ? pickMostFrequent(findByPrefix(term!), corpus) : [];
    return completed.length === 0 ? [] : [{ asked: word, read: completed.join(' '), by: 'beginning' }];
  });
  return { query: replaceWords(query, respelled), respelled };
}

export function replaceWords(
  query: string,
  respelled: readonly Pick<Respelling, 'asked' | 'read'>[],
): string {
  if (respelled.length === 0) return query;
  const read = new Map(respelled.map(({ asked, read }) => [asked, read]));
  return query.replace(plainWord, (word) => read.get(word.toLowerCase()) ?? word);
}

/** The word as the index has it; null if it is written without spaces between words. */
function toTerm(word: string): string | null {
  const terms = splitTerms(word, { stemming: 'none' });
  return terms.length === 1 && terms[0]!.length >= minCompletedLength ? terms[0]! : null;
}

function occurs(word: string, corpus: Pick<Corpus, 'documentFrequency'>): boolean {
  const forms = [word, ...listInflections(word), ...findSynonyms(word), ...findAbbreviations(word)];
  return forms.some((form) => corpus.documentFrequency(form) > 0);
}

function findForms(
  word: string,
  language: Language,
  findByPrefix: (start: string) => readonly string[],
): readonly string[] {
  const stem = stemInLanguage(language, word);
  return findByPrefix(word.slice(0, minStem)).filter((term) => stemInLanguage(language, term) === stem);
}

function pickMostFrequent(terms: readonly string[], corpus: KnownWords): readonly string[] {
  return terms
    .map((term) => ({ term, chunks: corpus.documentFrequency(term) }))
    .filter(({ term, chunks }) => chunks > 0 && onlyLetters.test(term))
    .sort((one, two) => two.chunks - one.chunks || (one.term < two.term ? -1 : 1))
    .slice(0, maxReplacements)
    .map(({ term }) => term);
}

const onlyLetters = /^\p{L}+$/u;

/** The most frequent of the words at one error's distance; undefined if there is none. */
function findNearest(word: string, corpus: Pick<Corpus, 'documentFrequency'>): string | undefined {
  let best: string | undefined;
  let most = minChunks - 1;
  for (const other of generateNeighbours(word)) {
    const found = corpus.documentFrequency(other);
    if (found <= most) continue;
    best = other;
    most = found;
  }
  return best;
}

/** The first letter stays, unless it is swapped with the second: who types seldom gets it wrong. */
function* generateNeighbours(word: string): Generator<string> {
  const letters = /\p{Script=Cyrillic}/u.test(word) ? cyrillic : latin;
  for (let at = 0; at < word.length; at++) {
    const before = word.slice(0, at);
    const from = word.slice(at);
    if (from.length > 1) yield before + from[1]! + from[0]! + from.slice(2);
    if (at > 0) {
      yield before + from.slice(1);
      for (const letter of letters) {
        yield before + letter + from;
        yield before + letter + from.slice(1);
      }
    }
  }
  for (const letter of letters) yield word + letter;
}
