import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Plain BM25, the floor: k1 1.2, b 0.75, lower-cased runs of letters and digits, chunks of 40 lines, a file as
 * good as its best chunk. A small reference of its own, which shares nothing with what it is compared to.
 */

const k1 = 1.2;
const b = 0.75;
const chunkLines = 40;
const maxFileBytes = 1_000_000;

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];

export type Floor = (query: string) => readonly string[];

interface Chunks {
  readonly paths: string[];
  readonly lengths: number[];
  /** By word: chunk, frequency, chunk, ... */
  readonly postings: Map<string, number[]>;
}

/** `withPath`: the words of the path stand in each chunk too. */
export function plainBm25(root: string, paths: readonly string[], withPath = false): Floor {
  const chunks: Chunks = { paths: [], lengths: [], postings: new Map() };
  for (const path of paths) {
    const bytes = readFileSync(join(root, path));
    if (bytes.length > maxFileBytes || bytes.subarray(0, 8_192).includes(0)) continue;
    const lines = bytes.toString('utf8').replace(/\n$/, '').split('\n');
    for (let from = 0; from < lines.length; from += chunkLines) {
      const text = lines.slice(from, from + chunkLines).join('\n');
      addChunk(chunks, path, wordsOf(withPath ? `${path}\n${text}` : text));
    }
  }
  const average =
    chunks.lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, chunks.lengths.length);
  return (query) => rank(chunks, average, new Set(wordsOf(query)));
}

function addChunk({ paths, lengths, postings }: Chunks, path: string, words: readonly string[]): void {
  const frequencies = new Map<string, number>();
  for (const word of words) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
  for (const [word, frequency] of frequencies) {
    const list = postings.get(word);
    if (list === undefined) postings.set(word, [paths.length, frequency]);
    else list.push(paths.length, frequency);
  }
  paths.push(path);
  lengths.push(words.length);
}

function rank({ paths, lengths, postings }: Chunks, average: number, words: ReadonlySet<string>): string[] {
  const scores = new Float64Array(paths.length);
  for (const word of words) {
    const list = postings.get(word) ?? [];
    const df = list.length / 2;
    const gain = Math.log(1 + (paths.length - df + 0.5) / (df + 0.5)) * (k1 + 1);
    for (let at = 0; at < list.length; at += 2) {
      const chunk = list[at]!;
      const frequency = list[at + 1]!;
      scores[chunk]! += (gain * frequency) / (frequency + k1 * (1 - b + (b * lengths[chunk]!) / average));
    }
  }
  const best = new Map<string, number>();
  scores.forEach((score, chunk) => {
    const path = paths[chunk]!;
    if (score > (best.get(path) ?? 0)) best.set(path, score);
  });
  return [...best].sort((one, two) => two[1] - one[1]).map(([path]) => path);
}

/**
 * A floor that nobody would be ashamed of, without anything that is Sonde's: the same formula over whole files of source,
 * tests and documentation left out, names split at their capitals and digits, endings cut, the path as text. Where
 * nothing is source, as in a collection of texts, all files are taken.
 */
export function fairBm25(root: string, paths: readonly string[]): Floor {
  const chunks: Chunks = { paths: [], lengths: [], postings: new Map() };
  const sources = paths.filter((path) => source.test(path) && !aside.test(path));
  for (const path of sources.length > 0 ? sources : paths) {
    const bytes = readFileSync(join(root, path));
    if (bytes.length > maxFileBytes || bytes.subarray(0, 8_192).includes(0)) continue;
    addChunk(chunks, path, stemsOf(`${path}\n${bytes.toString('utf8')}`));
  }
  const average =
    chunks.lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, chunks.lengths.length);
  return (query) => rank(chunks, average, new Set(stemsOf(query)));
}

const source =
  /\.(?:py|pyi|js|jsx|mjs|cjs|ts|tsx|mts|cts|go|rs|java|kt|kts|scala|c|h|cc|cpp|cxx|hpp|hh|cs|rb|php|swift|m|mm|sh|ex|exs|erl|hs|ml|lua|pl|dart|zig|vue|svelte)$/;
const aside =
  /(?:^|\/)(?:tests?|testing|__tests__|specs?|testdata|fixtures|docs?|documentation|examples?|benches|benchmarks?)\/|(?:^|\/)test_[^/]*$|[._-](?:test|spec|tests)\.\w+$/i;

function stemsOf(text: string): string[] {
  return wordsOf(
    text
      .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
      .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
      .replace(/_/g, ' '),
  ).map(lightStem);
}

/** The commonest endings of English, where three letters are left. */
function lightStem(word: string): string {
  return word.length > 4 ? word.replace(/(?<=\w{3})(?:ings?|ed|ers?|ies|es|s)$/, '') : word;
}
