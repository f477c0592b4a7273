/**
 * Words of a query that occur nowhere, read as the nearest word that does: one letter wrong, missing, added, or two swapped.
 * A word that occurs in any form, and a name as code writes it, is left as it is.
 */
import type { Corpus } from '../lexical/index.ts';
import type { Respelling } from '../search.ts';
import { inflections } from './inflections.ts';
import { abbreviationsOf, synonymsOf } from './synonyms.ts';

/** Letters. Of shorter words nearly all neighbours are words, too. */
const minLength = 5;
/** Each word costs some hundred look-ups. */
const maxWords = 8;
/** A word that stands in fewer chunks is as likely an error as the one that was asked. */
const minChunks = 2;
const letters = 'abcdefghijklmnopqrstuvwxyz';
/** Plain words only: what stands beside a digit, a sign of a name or a backtick is meant as it is written. */
const plainWord = /(?<![\p{L}\p{N}_$`./:-])[A-Z]?[a-z]{4,30}(?![\p{L}\p{N}_$`/:]|[.-][\p{L}\p{N}])/gu;

export interface SpelledQuery {
  readonly query: string;
  readonly respelled: readonly Respelling[];
}

export function respell(query: string, corpus: Pick<Corpus, 'documentFrequency'>): SpelledQuery {
  const read = new Map<string, string>();
  for (const [word] of query.matchAll(plainWord)) {
    const asked = word.toLowerCase();
    if (asked.length < minLength || read.has(asked) || read.size >= maxWords) continue;
    if (!occurs(asked, corpus)) read.set(asked, nearest(asked, corpus) ?? asked);
  }
  const respelled = [...read].flatMap(([asked, to]) => (asked === to ? [] : [{ asked, read: to }]));
  return { query: withRespelled(query, respelled), respelled };
}

export function withRespelled(query: string, respelled: readonly Respelling[]): string {
  if (respelled.length === 0) return query;
  const read = new Map(respelled.map(({ asked, read }) => [asked, read]));
  return query.replace(plainWord, (word) => read.get(word.toLowerCase()) ?? word);
}

function occurs(word: string, corpus: Pick<Corpus, 'documentFrequency'>): boolean {
  const forms = [word, ...inflections(word), ...synonymsOf(word), ...abbreviationsOf(word)];
  return forms.some((form) => corpus.documentFrequency(form) > 0);
}

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
