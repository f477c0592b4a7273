/**
 * Words of a query that occur nowhere, read as others that do: as its forms in the language that the material is
 * written in, as the nearest word (one letter wrong, missing, added, or two swapped), or, in a short query, as words
 * that begin with it. A word that occurs in any form, and a name as code writes it, is left as it is.
 */
import type { Corpus } from '../lexical/index.ts';
import type { Respelling } from '../search.ts';
import { termsOf } from '../tokens/tokens.ts';
import { inflections } from './inflections.ts';
import { type Language, languageOf, minStem, stemIn } from './languages.ts';
import { abbreviationsOf, synonymsOf } from './synonyms.ts';

/** Letters. Of shorter words nearly all neighbours are words, too. */
const minForErrors = 5;
/** Letters that a word has to have before it is completed. */
const minBeginning = 4;
/** In a longer query a word is seldom unfinished, and the others find what is asked for. */
const maxWordsToComplete = 3;
/** Each word costs some hundred look-ups. */
const maxWords = 8;
/** Forms, or words with this beginning, that are searched for in place of one word. */
const maxRead = 3;
/** A word that stands in fewer chunks is as likely an error as the one that was asked. */
const minChunks = 2;
const latin = 'abcdefghijklmnopqrstuvwxyz';
const cyrillic = 'абвгдежзиклмнопрстуфхцчшщъыьэюя';
/** Plain words only: what stands beside a digit, a sign of a name or a backtick is meant as it is written. */
const plainWord =
  /(?<![\p{L}\p{N}\p{M}_$`./:-])\p{Lu}?[\p{Ll}\p{M}]{3,30}(?![\p{L}\p{N}\p{M}_$`/:]|[.-][\p{L}\p{N}])/gu;

/** What of an index this looks at. */
export type KnownWords = Pick<Corpus, 'documentFrequency' | 'liveChunks' | 'termsBeginning'>;

export interface SpelledQuery {
  readonly query: string;
  readonly respelled: readonly Respelling[];
}

export function respell(query: string, corpus: KnownWords): SpelledQuery {
  const asked = new Map([...query.matchAll(plainWord)].map(([word]) => [word.toLowerCase(), asTerm(word)]));
  const isShort = query.trim().split(/\s+/).length <= maxWordsToComplete;
  const strange = [...asked].filter(([, term]) => term !== null && !occurs(term, corpus)).slice(0, maxWords);
  const language = strange.length === 0 ? null : languageOf(corpus);
  // One reading of all terms serves every word.
  let known: readonly string[] | undefined;
  const beginning = (start: string): readonly string[] => {
    known ??= corpus.termsBeginning([...new Set(strange.map(([, term]) => term!.slice(0, minStem)))]);
    return known.filter((term) => term.startsWith(start));
  };
  const respelled = strange.flatMap(([word, term]): Respelling[] => {
    const forms = language === null ? [] : mostFrequent(formsOf(term!, language, beginning), corpus);
    if (forms.length > 0) return [{ asked: word, read: forms.join(' '), by: 'form' }];
    const near = term!.length < minForErrors ? undefined : nearest(term!, corpus);
    if (near !== undefined) return [{ asked: word, read: near, by: 'error' }];
    const completed = isShort ? mostFrequent(beginning(term!), corpus) : [];
    return completed.length === 0 ? [] : [{ asked: word, read: completed.join(' '), by: 'beginning' }];
  });
  return { query: withRespelled(query, respelled), respelled };
}

export function withRespelled(
  query: string,
  respelled: readonly Pick<Respelling, 'asked' | 'read'>[],
): string {
  if (respelled.length === 0) return query;
  const read = new Map(respelled.map(({ asked, read }) => [asked, read]));
  return query.replace(plainWord, (word) => read.get(word.toLowerCase()) ?? word);
}

/** The word as the index has it; null if it is written without spaces between words. */
function asTerm(word: string): string | null {
  const terms = termsOf(word, { stemming: 'none' });
  return terms.length === 1 && terms[0]!.length >= minBeginning ? terms[0]! : null;
}

function occurs(word: string, corpus: Pick<Corpus, 'documentFrequency'>): boolean {
  const forms = [word, ...inflections(word), ...synonymsOf(word), ...abbreviationsOf(word)];
  return forms.some((form) => corpus.documentFrequency(form) > 0);
}

function formsOf(
  word: string,
  language: Language,
  beginning: (start: string) => readonly string[],
): readonly string[] {
  const stem = stemIn(language, word);
  return beginning(word.slice(0, minStem)).filter((term) => stemIn(language, term) === stem);
}

function mostFrequent(terms: readonly string[], corpus: KnownWords): readonly string[] {
  return terms
    .map((term) => ({ term, chunks: corpus.documentFrequency(term) }))
    .filter(({ term, chunks }) => chunks > 0 && onlyLetters.test(term))
    .sort((one, two) => two.chunks - one.chunks || (one.term < two.term ? -1 : 1))
    .slice(0, maxRead)
    .map(({ term }) => term);
}

const onlyLetters = /^\p{L}+$/u;

/** The most frequent of the words at one error's distance; undefined if there is none. */
function nearest(word: string, corpus: Pick<Corpus, 'documentFrequency'>): string | undefined {
  let best: string | undefined;
  let most = minChunks - 1;
  for (const other of oneErrorAway(word)) {
    const found = corpus.documentFrequency(other);
    if (found <= most) continue;
    best = other;
    most = found;
  }
  return best;
}

/** The first letter stays, unless it is swapped with the second: who types seldom gets it wrong. */
function* oneErrorAway(word: string): Generator<string> {
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
