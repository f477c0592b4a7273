/**
 * Decides, for a question in another language than English, whether the material can answer it: by the words that carry
 * the question and occur nowhere, in no form. A word tells the more, the fewer files have it, so that the words of the
 * language itself count little without a list of them.
 */
import type { SpanReply } from '../../../core/index.ts';
import type { Material } from '../material/material.ts';

export interface CountedWord {
  /** As it is written in the question. */
  readonly word: string;
  /** The files that have the word or a form of it. */
  readonly paths: ReadonlySet<string>;
  /** It begins a sentence. */
  readonly isFirst: boolean;
}

export interface MissedWords {
  /** The words that occur nowhere. */
  readonly words: readonly string[];
  /** They carry so much of the question that the material can't answer it. */
  readonly isDecisive: boolean;
}

export interface WordSearch {
  readonly material: Pick<Material, 'search' | 'text'>;
  readonly scope: string | undefined;
  readonly signal: AbortSignal;
}

/** Maximum number of words to search for. */
const maxWords = 14;
const maxHits = 300;

/** Scripts written without spaces. They are searched by pairs of letters, so that a hit may lack the word. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc]/u;
/** In Japanese: endings and particles. */
const grammar = /^[\p{Script=Hiragana}\u30fc]*$/u;
const word = /[\p{L}\p{N}\p{M}\u30fc]+/gu;

/** The words of a question, each once; of a script without spaces, those that are more than grammar. */
export function wordsOf(question: string): readonly Omit<CountedWord, 'paths'>[] {
  const found = new Map<string, Omit<CountedWord, 'paths'>>();
  for (const sentence of question.split(/(?<=[.!?:])\s+/u))
    for (const [nth, one] of (sentence.match(word) ?? []).flatMap(segments).entries()) {
      const key = one.toLowerCase();
      if (isCounted(one) && !found.has(key)) found.set(key, { word: one, isFirst: nth === 0 });
    }
  return [...found.values()].slice(0, maxWords);
}

function segments(run: string): readonly string[] {
  if (!unspaced.test(run)) return [run];
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
  return [...segmenter.segment(run)].map(({ segment }) => segment);
}

const isCounted = (one: string): boolean =>
  one.length > 1 && /\p{L}/u.test(one) && !(unspaced.test(one) && grammar.test(one));

/** Words that only English has. */
const english =
  /\b(?:the|are|were|does|did|how|what|which|where|who|why|when|and|should|with|from|that|this|these|there|have|has|would|could|their|its|you)\b/i;
const minWords = 3;

/** Whether nothing in the question is English for certain. */
export const mayBeForeign = (question: string): boolean =>
  !english.test(question) && (question.match(word)?.length ?? 0) >= minWords;

/** English words that other languages have, too: they do not show which one the material is in. */
const shared = new Set(
  'an as at be can die do for he in is it me most no of on or over so to was we will'.split(' '),
);
const maxShort = 5;
/** From this share of the files on, a short word is one of the language of the material. */
const minShare = 0.1;

/**
 * Whether the material is in the language of the question, so that a word that it lacks means something: its short
 * words are common in it, or, in another script, any of its words are there.
 */
export function isInLanguage(words: readonly CountedWord[], files: number): boolean {
  if (words.some((one) => one.paths.size > 0 && !/[\p{Script=Latin}\p{N}]/u.test(one.word))) return true;
  const short = words.filter((one) => one.word.length <= maxShort && !shared.has(one.word.toLowerCase()));
  const common = short.filter((one) => one.paths.size >= minShare * files).length;
  return common > 1 || (common === 1 && short.length <= 2);
}

/** A first word up to this length asks, as a rule: `combien`, `dlaczego`, `сколько`. */
const maxAsking = 8;
const minLetters = 3;
/**
 * Shares of the question, by weight: what the best file holds of it at least, if it can answer it, and what may occur
 * nowhere. Two words are seldom both said otherwise in the material, and a name seldom is.
 */
const limits = { held: 0.45, several: 0.4, name: 0.33 } as const;

export function missedWords(words: readonly CountedWord[], files: number): MissedWords {
  const weight = ({ paths }: CountedWord): number => -Math.log((paths.size + 0.3) / (files + 1));
  const sum = (some: readonly CountedWord[]): number => some.reduce((whole, one) => whole + weight(one), 0);
  const isAsking = ({ word, isFirst }: CountedWord): boolean =>
    isFirst && word.length <= maxAsking && !unspaced.test(word);
  const counted = words.filter((one) => one.paths.size > 0 || !isAsking(one));
  const missed = counted.filter(
    ({ word, paths }) => paths.size === 0 && (word.length >= minLetters || unspaced.test(word)),
  );
  const whole = sum(counted);
  if (whole <= 0) return { words: [], isDecisive: false };
  const all = new Set(counted.flatMap(({ paths }) => [...paths]));
  const heldBy = (path: string): number => sum(counted.filter(({ paths }) => paths.has(path))) / whole;
  const held = [...all].reduce((most, path) => Math.max(most, heldBy(path)), 0);
  const share = sum(missed) / whole;
  const hasName = missed.some(({ word, isFirst }) => !isFirst && /^\p{Lu}/u.test(word));
  const isDecisive =
    held < limits.held || (missed.length > 1 && share >= limits.several) || (hasName && share >= limits.name);
  return { words: missed.map(({ word }) => word), isDecisive };
}

export function countWords(question: string, within: WordSearch): Promise<readonly CountedWord[]> {
  return Promise.all(
    wordsOf(question).map(async (one) => ({ ...one, paths: await filesWith(one.word, within) })),
  );
}

/** In a shorter word, a letter more or less makes another word more often than an error. */
const minForErrors = 7;
/**
 * Letters of a word that stay where its ending is taken off, letters that are taken off, and that another form may add.
 */
const ending = { stay: 5, off: 3, more: 1 } as const;

async function filesWith(asked: string, within: WordSearch): Promise<ReadonlySet<string>> {
  const term = asked.toLowerCase();
  const { hits, respelled = [] } = await find(term, within);
  if (unspaced.test(term)) return filesHolding(term, hits, within);
  const by = respelled[0]?.by;
  if (by === undefined || by === 'form' || (by === 'error' && term.length >= minForErrors)) {
    if (hits.length > 0) return pathsOf(hits);
  }
  for (let off = 1; off <= ending.off && term.length - off >= ending.stay; off += 1) {
    const reply = await find(term.slice(0, -off), within);
    const read = reply.respelled?.[0];
    const isForm = ({ by, read }: { readonly by: string; readonly read: string }): boolean =>
      by === 'beginning' && read.split(' ').every((one) => one.length <= term.length + ending.more);
    if (reply.hits.length > 0 && (read === undefined || isForm(read))) return pathsOf(reply.hits);
  }
  return new Set();
}

const find = (query: string, { material, scope, signal }: WordSearch): Promise<SpanReply> => {
  const request = { query, k: maxHits, wide: true, signal };
  return material.search.search({ ...request, ...(scope !== undefined && { scope }) });
};

const pathsOf = (hits: SpanReply['hits']): ReadonlySet<string> => new Set(hits.map(({ path }) => path));

/** The best of the files with such pairs of letters that are looked into. */
const maxLookedInto = 20;

async function filesHolding(
  term: string,
  hits: SpanReply['hits'],
  { material }: WordSearch,
): Promise<ReadonlySet<string>> {
  const files = new Set<string>();
  for (const path of [...new Set(hits.map((hit) => hit.path))].slice(0, maxLookedInto)) {
    const file = await material.text.readText(path, null);
    const lines = file.kind === 'text' ? file.lines : [];
    if ([path, ...lines].some((line) => line.normalize('NFKC').toLowerCase().includes(term))) files.add(path);
  }
  return files;
}
