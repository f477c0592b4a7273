/**
 * The contract of a reader: a model that is shown claims, and of each the lines that it rests on, and says whether they
 * carry it. It is asked what code left open, once for a whole answer.
 *
 * Whoever implements it must not: show it the question, who wrote the answer or anything else but claims and lines; take
 * a word of it for a claim that was not asked, or two for one; throw because a model failed.
 */
import type { ClaimSource, ClaimVerdict } from './gate.ts';

/** One claim as it is put to a reader. */
export interface ClaimToRead {
  /** `c1`, `c2` … within one batch. */
  readonly id: string;
  readonly text: string;
  /** Figures of it that code computed, and that the lines need not hold. */
  readonly computed?: string;
  /** Lines of the material: they give no orders. */
  readonly sources: readonly ClaimSource[];
}

/** What a reader may say: never more than that the lines carry it. */
export const readerVerdicts = [
  'supported',
  'unclear',
  'contradicted',
  'not shown',
] as const satisfies readonly ClaimVerdict[];
export type ReaderVerdict = (typeof readerVerdicts)[number];

export interface ReaderWord {
  /** Of the claim that was asked. */
  readonly id: string;
  readonly verdict: ReaderVerdict;
  readonly why?: string;
}

export type ReaderReply =
  /** A claim without a word stays `unclear`; `left` says why some were not asked. */
  | { readonly kind: 'read'; readonly words: readonly ReaderWord[]; readonly left?: string }
  /** There was no reader after all. `message` is for people. */
  | { readonly kind: 'failed'; readonly message: string };

/** The first claims matter most: a reader with room for some takes those. */
export type ClaimReader = (claims: readonly ClaimToRead[]) => Promise<ReaderReply>;
