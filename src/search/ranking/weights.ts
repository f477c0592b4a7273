import type { FileKind } from '../../core/index.ts';
import type { Intent } from './intent.ts';

/**
 * Every number that ranking has, in one place. Each was tuned for a kind of material, never for one
 * repository: bug-fix commits of three (celery, eslint, rust-analyzer: nDCG@10, mean of the three), issues
 * and questions of three others, short web queries for Python functions, abstracts (all recall@10). What was
 * measured of a feature is written beside it, by `bench/retrieval.ts` where nothing else is said. 0 turns a
 * feature off.
 */
export interface RankingWeights {
  /** How much another form of a word counts beside the word itself. Without: web queries -.042, issues -.077. */
  readonly inflection: number;
  /** How much `cfg` counts for `configuration` and the reverse. Without it and the next: web queries -.068. */
  readonly abbreviation: number;
  /** How much `delete` counts for `remove`, not the reverse. */
  readonly synonym: number;
  /**
   * Words of the first line of a report weigh the root of (words of the report / this), from 1 to 3 times the
   * others: the longer a report, the more of it is noise. Without: issues -.115. Commits .720 to .748, with
   * the next and the files named.
   */
  readonly titleWords: number;
  /** Identifiers, and words between backticks, against the other words of a query. */
  readonly code: number;
  /**
   * The factor of each kind of file, by the kind of query. Commits .529 to .697; without: issues -.192, questions
   * -.061.
   */
  readonly kinds: Readonly<Record<Intent, Readonly<Record<FileKind, number>>>>;
  /**
   * A file's second best chunk supports the best with so much of its score, the third with the square of it.
   * Commits .517 to .529.
   */
  readonly support: number;
  /** Added to a file that the query names, shared where the name fits several. */
  readonly mention: number;
  /**
   * Added to the file whose past commit is most like the query, the others in proportion. Commits .697 to
   * .724; without: questions -.021.
   */
  readonly history: number;
  /**
   * Share of vectors trained on the corpus, on prose and on collections of small files.
   * Without: abstracts -.019, web queries -.020. On repositories within the noise, so not used there.
   */
  readonly latent: number;
  /**
   * The weight of the corpus's vectors and of feedback is this times the part of the query that the best
   * chunk lacks, at most their full weight: where one chunk has all words, additions only lead away from it.
   * Sentences of documentation with half of their words left out find their file first .598 of the time, .450
   * without this (1,052 files, 400 queries, measured by hand); abstracts stay at .234.
   */
  readonly doubt: number;
  /** Pseudo-relevance feedback, on prose. Without: abstracts -.009, nDCG@10 -.016. */
  readonly feedback: {
    /** Best chunks looked at. */
    readonly chunks: number;
    /** Words taken from them. */
    readonly words: number;
    /** Weight of the best of these words; the others in proportion. */
    readonly weight: number;
  };
  /** Share of an embedding model's vectors where one is given, against the words. Not measured: no model at hand. */
  readonly vector: number;
  /** In a wide reply, each further span of a file counts this much of the one before: more files come early. */
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
