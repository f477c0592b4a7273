import type { PastCommit } from '../search.ts';
import { splitTerms } from '../tokens/tokens.ts';
import { stemWord } from './inflections.ts';
import { stopWords } from './stop-words.ts';

/**
 * Ranks files by past commits: a query that resembles a commit's message is likely about the files that the commit
 * changed. Messages are ranked by BM25. A file gets the score of its best commit, reduced by the number of files in
 * that commit.
 */

/** Maximum number of files that a commit changed. Commits with more files are ignored. */
const maxPaths = 30;
/** Maximum characters of a message that are read. The rest is mostly a list of squashed commits, or a trace. */
const maxMessageLength = 4_000;
/** The usual constants of BM25. */
const k1 = 1.2;
const b = 0.75;
/** A commit's score is divided by its number of files to this power. */
const spreadPower = 0.35;

/** Commit messages, split into words. Stored, since splitting takes most of the time. */
export interface PastDigest {
  readonly stems: readonly string[];
  readonly paths: readonly string[];
  readonly messages: readonly {
    /** Indices in `paths`. */
    readonly paths: readonly number[];
    /** Index in `stems`, frequency, index, frequency, ... */
    readonly words: readonly number[];
  }[];
}

export function digestCommits(commits: readonly PastCommit[]): PastDigest {
  const stems = new Map<string, number>();
  const paths = new Map<string, number>();
  const stemOfTerm = new Map<string, number>();
  const indexOfTerm = (term: string): number => {
    let stemIndex = stemOfTerm.get(term);
    if (stemIndex === undefined) {
      stemIndex = stopWords.has(term) ? -1 : ensureIndex(stems, stemWord(term));
      stemOfTerm.set(term, stemIndex);
    }
    return stemIndex;
  };
  const messages = commits
    .filter((commit) => commit.paths.length > 0 && commit.paths.length <= maxPaths)
    .map((commit) => {
      const frequencies = new Map<number, number>();
      for (const term of splitTerms(commit.message.slice(0, maxMessageLength), { stemming: 'none' })) {
        const stem = indexOfTerm(term);
        if (stem >= 0) frequencies.set(stem, (frequencies.get(stem) ?? 0) + 1);
      }
      return { paths: commit.paths.map((path) => ensureIndex(paths, path)), words: [...frequencies].flat() };
    });
  return { stems: [...stems.keys()], paths: [...paths.keys()], messages };
}

/** The index of a key; a new key gets the next index. */
function ensureIndex(indices: Map<string, number>, key: string): number {
  const index = indices.get(key);
  if (index !== undefined) return index;
  indices.set(key, indices.size);
  return indices.size - 1;
}

export class PastMessages {
  readonly #digest: PastDigest;
  /** For each stem: message, frequency, message, frequency, ... */
  readonly #postings = new Map<string, number[]>();
  /** BM25's length normalisation of each message. */
  readonly #norms: Float64Array;

  constructor(digest: PastDigest) {
    this.#digest = digest;
    const { stems, messages } = digest;
    const lists = stems.map((stem) => {
      const list: number[] = [];
      this.#postings.set(stem, list);
      return list;
    });
    const lengths = messages.map(({ words }, message) => {
      let length = 0;
      for (let at = 0; at < words.length; at += 2) {
        lists[words[at]!]!.push(message, words[at + 1]!);
        length += words[at + 1]!;
      }
      return length;
    });
    const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
    this.#norms = Float64Array.from(lengths, (length) => k1 * (1 - b + (b * length) / Math.max(1, average)));
  }

  /**
   * The similarity of each path's commit messages to the query: 1 for the most similar path. A path is absent if no
   * message has a word of the query.
   */
  scorePaths(stems: Iterable<string>): ReadonlyMap<string, number> {
    const scores = this.#scores(stems);
    const { messages, paths } = this.#digest;
    const pathScores = new Float64Array(paths.length);
    let best = 0;
    for (let message = 0; message < scores.length; message++) {
      if (scores[message] === 0) continue;
      const changedPaths = messages[message]!.paths;
      const score = scores[message]! / changedPaths.length ** spreadPower;
      best = Math.max(best, score);
      for (const path of changedPaths) if (score > pathScores[path]!) pathScores[path] = score;
    }
    const similarities = new Map<string, number>();
    for (let path = 0; path < pathScores.length; path++) {
      if (pathScores[path]! > 0) similarities.set(paths[path]!, pathScores[path]! / best);
    }
    return similarities;
  }

  #scores(stems: Iterable<string>): Float64Array {
    const count = this.#norms.length;
    const scores = new Float64Array(count);
    for (const stem of new Set(stems)) {
      const list = this.#postings.get(stem);
      if (list === undefined) continue;
      const df = list.length / 2;
      const gain = Math.log(1 + (count - df + 0.5) / (df + 0.5)) * (k1 + 1);
      for (let at = 0; at < list.length; at += 2) {
        const message = list[at]!;
        const frequency = list[at + 1]!;
        scores[message] = scores[message]! + (gain * frequency) / (frequency + this.#norms[message]!);
      }
    }
    return scores;
  }
}
