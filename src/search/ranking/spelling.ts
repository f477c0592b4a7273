/**
 * Replaces words of a query that occur nowhere: by their forms in the language of the material, by the nearest word
 * (one letter wrong, missing or added, or two swapped), or, in a short query, by words that begin with them. A word
 * that occurs in any form, or looks like a name in code, is kept.
 */
import type { Corpus } from '../lexical/index.ts';
import type { Respelling } from '../search.ts';
import { splitTerms } from '../tokens/tokens.ts';
import { listInflections } from './inflections.ts';
import { detectLanguage, type Language, minStem, stemInLanguage } from './languages.ts';
import { findAbbreviations, findSynonyms } from './synonyms.ts';

/**
 * Minimum letters of a word that is corrected: most changes of a single letter turn a shorter word into another word.
 */
const minCorrectedLength = 5;
/** Minimum letters of a word that is completed. */
const minCompletedLength = 4;
/** Maximum words of a query in which words are completed. In longer queries, words are seldom unfinished. */
const maxWordsToComplete = 3;
/** Maximum number of words to replace: each takes some hundred look-ups. */
const maxUnknownWords = 8;
/** Maximum number of words that replace one word. */
const maxReplacements = 3;
/** A replacement must occur in this many chunks: a rarer word is as likely an error itself. */
const minChunks = 2;
const latin = 'abcdefghijklmnopqrstuvwxyz';
const cyrillic = 'абвгдежзиклмнопрстуфхцчшщъыьэюя';
/** A plain word. A digit, a backtick or a character of names beside it would show that it is meant as written. */
const plainWord =
  /(?<![\p{L}\p{N}\p{M}_$`./:-])\p{Lu}?[\p{Ll}\p{M}]{3,30}(?![\p{L}\p{N}\p{M}_$`/:]|[.-][\p{L}\p{N}])/gu;

/** The part of an index that is used here. */
export type KnownWords = Pick<Corpus, 'documentFrequency' | 'liveChunks' | 'findTermsByPrefix'>;

export interface SpelledQuery {
  readonly query: string;
  readonly respelled: readonly Respelling[];
}

/** Replaces words of a query that do not occur in the corpus. */
export function respell(query: string, corpus: KnownWords): SpelledQuery {
  const termsByWord = new Map(
    [...query.matchAll(plainWord)].map(([word]) => [word.toLowerCase(), toTerm(word)]),
  );
  const isShort = query.trim().split(/\s+/).length <= maxWordsToComplete;
  const unknownWords = [...termsByWord]
    .filter(([, term]) => term !== null && !occurs(term, corpus))
    .slice(0, maxUnknownWords);
  const language = unknownWords.length === 0 ? null : detectLanguage(corpus);
  // All terms of the index are read once, for all words.
  let terms: readonly string[] | undefined;
  const findByPrefix = (start: string): readonly string[] => {
    terms ??= corpus.findTermsByPrefix([...new Set(unknownWords.map(([, term]) => term!.slice(0, minStem)))]);
    return terms.filter((term) => term.startsWith(start));
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
  const replacements = new Map(respelled.map(({ asked, read }) => [asked, read]));
  return query.replace(plainWord, (word) => replacements.get(word.toLowerCase()) ?? word);
}

/** The word as it is in the index; null if it is too short, or in a script without spaces. */
function toTerm(word: string): string | null {
  const terms = splitTerms(word, { stemming: 'none' });
  return terms.length === 1 && terms[0]!.length >= minCompletedLength ? terms[0]! : null;
}

/** Whether the word, a form of it, a synonym or an abbreviation is in the corpus. */
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

/** The most frequent word that differs by one typing error; undefined if there is none. */
function findNearest(word: string, corpus: Pick<Corpus, 'documentFrequency'>): string | undefined {
  let best: string | undefined;
  let bestCount = minChunks - 1;
  for (const neighbour of generateNeighbours(word)) {
    const count = corpus.documentFrequency(neighbour);
    if (count <= bestCount) continue;
    best = neighbour;
    bestCount = count;
  }
  return best;
}

/**
 * Generates all words with one typing error. The first letter is seldom wrong, so it is only swapped with the second.
 */
function* generateNeighbours(word: string): Generator<string> {
  const letters = /\p{Script=Cyrillic}/u.test(word) ? cyrillic : latin;
  for (let at = 0; at < word.length; at++) {
    const before = word.slice(0, at);
    const rest = word.slice(at);
    if (rest.length > 1) yield before + rest[1]! + rest[0]! + rest.slice(2);
    if (at > 0) {
      yield before + rest.slice(1);
      for (const letter of letters) {
        yield before + letter + rest;
        yield before + letter + rest.slice(1);
      }
    }
  }
  for (const letter of letters) yield word + letter;
}
