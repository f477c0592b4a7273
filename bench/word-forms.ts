/**
 * Words that a vault does not have, asked of it one by one: forms of its words, and beginnings of them.
 *
 * `node bench/word-forms.ts --vault DIR --words DIR --language german --judge FOLDER [--count 200]`
 * The words are those of a second vault in the same language. A stemmer of npm's snowball-stemmers, installed in the
 * folder FOLDER, judges which are forms of a word that the first vault has: a page with one is right. The others have
 * nothing that is right, and what is read in their place is counted. Beginnings are words of the vault, four to six
 * letters of them, that are no words of it themselves; a page with the word is right.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { loadPageSearch, memoryWorld } from '../src/bench.ts';
import { vaultFiles } from './pages-links.ts';
import { decimals, interval, mean } from './retrieval-measures.ts';

const { values } = parseArgs({
  options: {
    vault: { type: 'string' },
    words: { type: 'string' },
    language: { type: 'string' },
    judge: { type: 'string' },
    count: { type: 'string', default: '200' },
  },
});
const { vault, words, language, judge } = values;
if (vault === undefined || words === undefined || language === undefined || judge === undefined) {
  console.log(
    'skipped: give a vault, a second one for its words, their language and a folder with the judge',
  );
  process.exit();
}
const { newStemmer } = createRequire(`${resolve(judge)}/`)('snowball-stemmers') as {
  newStemmer(language: string): { stem(word: string): string };
};
const stemmer = newStemmer(language);
const minLetters = 5;

/** As an index has words: in lower case, without accents. */
const fold = (word: string): string =>
  word
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .normalize('NFC')
    .toLowerCase();
const wordsOf = (text: string): string[] =>
  text.match(/(?<![\p{L}\p{N}\p{M}_])[\p{L}\p{M}]+(?![\p{L}\p{N}\p{M}_])/gu) ?? [];
const isWord = (word: string): boolean =>
  /^\p{Lu}?[\p{Ll}\p{M}]+$/u.test(word) && fold(word).length >= minLetters;

const files = vaultFiles(resolve(vault));
/** For each folded word of the vault and each stem, the pages that have it. */
const pages = new Map<string, Set<string>>();
const pagesOfStem = new Map<string, Set<string>>();
const add = (to: Map<string, Set<string>>, key: string, page: string): void => {
  const set = to.get(key) ?? new Set();
  to.set(key, set.add(page));
};
const stemOf = (word: string): string => fold(stemmer.stem(word.toLowerCase()));
for (const [path, text] of files) {
  const page = path.replace(/\.md$/, '');
  for (const word of wordsOf(`${text} ${page}`)) {
    add(pages, fold(word), page);
    if (isWord(word)) add(pagesOfStem, stemOf(word), page);
  }
}

/** The same from run to run: each n-th of them in the order of the alphabet. */
function some<T>(items: readonly T[]): T[] {
  const step = Math.max(1, items.length / Number(values.count));
  return Array.from(
    { length: Math.min(items.length, Number(values.count)) },
    (_, k) => items[Math.floor(k * step)]!,
  );
}

const others = Map.groupBy([...vaultFiles(resolve(words)).values()].flatMap(wordsOf).filter(isWord), fold);
const absent = [...others]
  .filter(([folded, found]) => found.length > 1 && !pages.has(folded))
  .map(([, [word]]) => ({ query: word!, gold: pagesOfStem.get(stemOf(word!)) ?? new Set<string>() }))
  .sort((one, two) => (one.query < two.query ? -1 : 1));
const cut = [...pages]
  .filter(([word, on]) => /^\p{L}{7,}$/u.test(word) && on.size <= 5)
  .sort(([one], [two]) => (one < two ? -1 : 1))
  .map(([word, gold], k) => ({ query: word.slice(0, 4 + (k % 3)), gold }))
  .filter(({ query }) => !pages.has(query));
const sets = {
  forms: some(absent.filter(({ gold }) => gold.size > 0)),
  'no forms': some(absent.filter(({ gold }) => gold.size === 0)),
  beginnings: some(cut),
};

const world = memoryWorld(
  Object.fromEntries([...files].map(([path, text]) => [path.replace(/\.md$/, ''), text])),
);
const work = mkdtempSync(join(tmpdir(), 'sonde-bench-forms-'));
const search = await loadPageSearch({ world, directory: work });
await search.follow();
console.log(`${basename(vault)}, ${files.size} pages, with words of ${basename(words)}`);
try {
  for (const [name, set] of Object.entries(sets)) {
    const found: number[] = [];
    let answered = 0;
    let read = 0;
    for (const { query, gold } of set) {
      const { hits, notes } = await search.search({ query, k: 10 });
      found.push(hits.some(({ path }) => gold.has(path)) ? 1 : 0);
      if (hits.length > 0) answered++;
      if (notes.some((note) => note.includes('occurs nowhere'))) read++;
    }
    const [low, high] = interval(found);
    console.log(
      `${name.padEnd(12)} ${String(set.length).padStart(4)} asked, right page in the first 10 ${decimals(mean(found))} (${decimals(low)}-${decimals(high)}), ${answered} answered, ${read} read as another word`,
    );
  }
} finally {
  await search.close();
  world.close();
  rmSync(work, { recursive: true });
}
