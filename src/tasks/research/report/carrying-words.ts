/**
 * Decides whether the material can answer a question in another language than English, by the question's words that
 * occur nowhere in any form. A word weighs more if fewer files have it, so that function words count little without a
 * list of them.
 */
import type { SpanReply } from '../../../core/index.ts';
import type { Material } from '../material/material.ts';

export interface CountedWord {
  /** As it is written in the question. */
  readonly word: string;
  /** The files that contain the word or another form of it. */
  readonly paths: ReadonlySet<string>;
  /** True if the word begins a sentence. */
  readonly isFirst: boolean;
}

export interface MissedWords {
  /** The words that occur nowhere. */
  readonly words: readonly string[];
  /** True if their share of the question is so large that the material can't answer it. */
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

/** Scripts written without spaces. The index has pairs of their letters, so a hit may lack the word. */
const unspacedScript =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc]/u;
/** In Japanese: endings and particles. */
const grammarOnly = /^[\p{Script=Hiragana}\u30fc]*$/u;
const word = /[\p{L}\p{N}\p{M}\u30fc]+/gu;

/** The words of a question, each once. For scripts without spaces, words of grammar only are left out. */
export function wordsOf(question: string): readonly Omit<CountedWord, 'paths'>[] {
  const found = new Map<string, Omit<CountedWord, 'paths'>>();
  for (const sentence of question.split(/(?<=[.!?:])\s+/u))
    for (const [nth, segment] of (sentence.match(word) ?? []).flatMap(segments).entries()) {
      const key = segment.toLowerCase();
      if (isCounted(segment) && !found.has(key)) found.set(key, { word: segment, isFirst: nth === 0 });
    }
  return [...found.values()].slice(0, maxWords);
}

function segments(run: string): readonly string[] {
  if (!unspacedScript.test(run)) return [run];
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
  return [...segmenter.segment(run)].map(({ segment }) => segment);
}

const isCounted = (segment: string): boolean =>
  segment.length > 1 &&
  /\p{L}/u.test(segment) &&
  !(unspacedScript.test(segment) && grammarOnly.test(segment));

/** Words that only English has. */
const english =
  /\b(?:the|are|were|does|did|how|what|which|where|who|why|when|and|should|with|from|that|this|these|there|have|has|would|could|their|its|you)\b/i;
const minWords = 3;

/** Whether the question has at least three words, and none that only English has. */
export const mayBeForeign = (question: string): boolean =>
  !english.test(question) && (question.match(word)?.length ?? 0) >= minWords;

/** English words that other languages have too, which so don't show the language of the material. */
const sharedWords = new Set(
  'an as at be can die do for he in is it me most no of on or over so to was we will'.split(' '),
);
const maxShortLength = 5;
/** Minimum share of the files with a short word for the word to belong to the material's language. */
const minFileShare = 0.1;

/**
 * Whether the material is in the language of the question, so that absent words mean something: the question's short
 * words are common in it or, in another script, any of its words occurs.
 */
export function isInLanguage(words: readonly CountedWord[], files: number): boolean {
  if (words.some((counted) => counted.paths.size > 0 && !/[\p{Script=Latin}\p{N}]/u.test(counted.word)))
    return true;
  const shortWords = words.filter(
    (counted) => counted.word.length <= maxShortLength && !sharedWords.has(counted.word.toLowerCase()),
  );
  const commonCount = shortWords.filter((counted) => counted.paths.size >= minFileShare * files).length;
  return commonCount > 1 || (commonCount === 1 && shortWords.length <= 2);
}

/** Maximum letters of a first word that counts as a question word: `combien`, `dlaczego`, `сколько`. */
const maxAskingLength = 8;
const minLetters = 3;
/**
 * Weighted shares of the question. `held`: the minimum that one file must contain. `several`, `name`: the maximum that
 * may occur nowhere, for several words and if one of them is a name, since the material seldom paraphrases two words or
 * a name.
 */
const limits = { held: 0.45, several: 0.4, name: 0.33 } as const;

export function findMissedWords(words: readonly CountedWord[], files: number): MissedWords {
  const weightOf = ({ paths }: CountedWord): number => -Math.log((paths.size + 0.3) / (files + 1));
  const sumWeights = (group: readonly CountedWord[]): number =>
    group.reduce((whole, counted) => whole + weightOf(counted), 0);
  const isAsking = ({ word, isFirst }: CountedWord): boolean =>
    isFirst && word.length <= maxAskingLength && !unspacedScript.test(word);
  const countedWords = words.filter((counted) => counted.paths.size > 0 || !isAsking(counted));
  const absentWords = countedWords.filter(
    ({ word, paths }) => paths.size === 0 && (word.length >= minLetters || unspacedScript.test(word)),
  );
  const totalWeight = sumWeights(countedWords);
  if (totalWeight <= 0) return { words: [], isDecisive: false };
  const allPaths = new Set(countedWords.flatMap(({ paths }) => [...paths]));
  const shareIn = (path: string): number =>
    sumWeights(countedWords.filter(({ paths }) => paths.has(path))) / totalWeight;
  const bestShare = [...allPaths].reduce((most, path) => Math.max(most, shareIn(path)), 0);
  const missedShare = sumWeights(absentWords) / totalWeight;
  const hasName = absentWords.some(({ word, isFirst }) => !isFirst && /^\p{Lu}/u.test(word));
  const isDecisive =
    bestShare < limits.held ||
    (absentWords.length > 1 && missedShare >= limits.several) ||
    (hasName && missedShare >= limits.name);
  return { words: absentWords.map(({ word }) => word), isDecisive };
}

export function countWords(question: string, search: WordSearch): Promise<readonly CountedWord[]> {
  return Promise.all(
    wordsOf(question).map(async (counted) => ({ ...counted, paths: await findFiles(counted.word, search) })),
  );
}

/**
 * Minimum letters of a word whose typing errors are corrected. In a shorter one, another letter mostly makes another
 * word.
 */
const minLengthForErrors = 7;
/**
 * Letters, when a word's ending is cut off: minimum that must `stay`, maximum cut `off`, and maximum that another form
 * may have `more`.
 */
const endingLetters = { stay: 5, off: 3, more: 1 } as const;

async function findFiles(word: string, search: WordSearch): Promise<ReadonlySet<string>> {
  const term = word.toLowerCase();
  const { hits, respelled = [] } = await searchWord(term, search);
  if (unspacedScript.test(term)) return filesContaining(term, hits, search);
  const respelledBy = respelled[0]?.by;
  if (
    respelledBy === undefined ||
    respelledBy === 'form' ||
    (respelledBy === 'error' && term.length >= minLengthForErrors)
  ) {
    if (hits.length > 0) return pathsOf(hits);
  }
  for (
    let cutLength = 1;
    cutLength <= endingLetters.off && term.length - cutLength >= endingLetters.stay;
    cutLength += 1
  ) {
    const reply = await searchWord(term.slice(0, -cutLength), search);
    const respelling = reply.respelled?.[0];
    const isForm = ({ by, read }: { readonly by: string; readonly read: string }): boolean =>
      by === 'beginning' && read.split(' ').every((form) => form.length <= term.length + endingLetters.more);
    if (reply.hits.length > 0 && (respelling === undefined || isForm(respelling))) return pathsOf(reply.hits);
  }
  return new Set();
}

const searchWord = (query: string, { material, scope, signal }: WordSearch): Promise<SpanReply> => {
  const request = { query, k: maxHits, wide: true, signal };
  return material.search.search({ ...request, ...(scope !== undefined && { scope }) });
};

const pathsOf = (hits: SpanReply['hits']): ReadonlySet<string> => new Set(hits.map(({ path }) => path));

/** Maximum number of files with the word's letter pairs that are read. */
const maxFilesRead = 20;

async function filesContaining(
  term: string,
  hits: SpanReply['hits'],
  { material }: WordSearch,
): Promise<ReadonlySet<string>> {
  const files = new Set<string>();
  for (const path of [...new Set(hits.map((hit) => hit.path))].slice(0, maxFilesRead)) {
    const file = await material.text.readText(path, null);
    const lines = file.kind === 'text' ? file.lines : [];
    if ([path, ...lines].some((line) => line.normalize('NFKC').toLowerCase().includes(term))) files.add(path);
  }
  return files;
}
