import type { FileKind } from '../../core/index.ts';
import type { Intent } from './intent.ts';

/**
 * All weights of the ranking. They were tuned on several kinds of material, never on one repository. Measures:
 * `commits`, bug-fix commits of celery, eslint and rust-analyzer (nDCG@10, mean); `issues` and `questions` of three
 * others; `web queries` for Python functions; `abstracts` (all recall@10). Each comment gives the effect, measured by
 * `bench/retrieval.ts` unless it says otherwise. The weight 0 turns a feature off.
 */
export interface RankingWeights {
  /** Weight of another form of a word, relative to the word itself. Without: web queries -.042, issues -.077. */
  readonly inflection: number;
  /** Weight of `cfg` for `configuration`, and the reverse. Without this and `synonym`: web queries -.068. */
  readonly abbreviation: number;
  /** Weight of `delete` for `remove`. */
  readonly synonym: number;
  /**
   * Words of a report's first line weigh the square root of (words of the report / this), from 1 to 3, since a long
   * report has much noise. Without: issues -.115. With this, `code` and `mention`: commits .720 to .748.
   */
  readonly titleWords: number;
  /** Weight of identifiers and words between backticks, relative to other words of a query. */
  readonly code: number;
  /**
   * The factor of each kind of file, by the kind of query. Commits .529 to .697; without: issues -.192, questions
   * -.061.
   */
  readonly kinds: Readonly<Record<Intent, Readonly<Record<FileKind, number>>>>;
  /**
   * The share of its score that a file's second best chunk adds; the third adds the square of it. Commits .517 to .529.
   */
  readonly support: number;
  /** Added to a file that the query names; divided among the files if several match. */
  readonly mention: number;
  /**
   * Added to the file with the past commit most similar to the query, to others in proportion. Commits .697 to .724;
   * without: questions -.021.
   */
  readonly history: number;
  /**
   * Share of the latent model's vectors, in prose and collections. Without: abstracts -.019, web queries -.020. Not
   * used in repositories, where the effect is within the noise.
   */
  readonly latent: number;
  /**
   * Scales `latent` and `feedback` by this times the share of the query that the best chunk lacks, at most by 1: if a
   * chunk has all words, additions only lead away from it. Sentences of documentation with half of their words removed
   * find their file first in 59.8 % of cases, without this in 45.0 % (1,052 files, 400 queries, by hand). Abstracts
   * stay at .234.
   */
  readonly doubt: number;
  /** Pseudo-relevance feedback, on prose. Without: abstracts -.009, nDCG@10 -.016. */
  readonly feedback: {
    /** Number of best chunks to take words from. */
    readonly chunks: number;
    /** Number of words to add. */
    readonly words: number;
    /** Weight of the best word; the others in proportion. */
    readonly weight: number;
  };
  /** Share of an embedding model's vectors, relative to words. Not measured. */
  readonly vector: number;
  /** In a wide reply, the factor from one span of a file to the next, so that more files come early. */
  readonly further: number;
}

export const rankingWeights: RankingWeights = Object.freeze({
  inflection: 0.5,
  abbreviation: 0.5,
  synonym: 0.2,
  titleWords: 8,
  code: 1.4,
  kinds: Object.freeze({
    // Questions are answered by tests too; reports and the commits that close them change the code itself.
    question: Object.freeze({ code: 1, test: 0.8, docs: 0.4, example: 0.7, generated: 0.5, config: 0.7 }),
    report: Object.freeze({ code: 1, test: 0.5, docs: 0.5, example: 0.7, generated: 0.5, config: 0.7 }),
    keywords: Object.freeze({ code: 1, test: 0.7, docs: 0.6, example: 0.7, generated: 0.5, config: 0.7 }),
  }),
  support: 0.3,
  mention: 0.3,
  history: 0.3,
  latent: 0.2,
  doubt: 2,
  feedback: Object.freeze({ chunks: 10, words: 20, weight: 0.4 }),
  vector: 0.5,
  further: 0.7,
});
