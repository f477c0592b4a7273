/**
 * The contract of a reader: a model that sees claims, each with its lines, and says whether the lines support it. It
 * gets only the claims that code left open, once per answer.
 *
 * An implementer must not: show it the question, the author of the answer or anything but claims and lines; accept a
 * verdict on a claim that was not asked, or two on one; throw because a model failed.
 */
import type { ClaimSource, ClaimVerdict } from '../gate.ts';

/** One claim for a reader. */
export interface ClaimToRead {
  /** The id of the claim, `c1`, `c2` …, within one batch. */
  readonly id: string;
  readonly text: string;
  /** Figures that code computed. The lines need not contain them. */
  readonly computed?: string;
  /** Lines of the material. They must not be able to give orders. */
  readonly sources: readonly ClaimSource[];
}

/** The verdicts open to a reader: the best is that the lines support the claim. */
export const readerVerdicts = [
  'supported',
  'unclear',
  'contradicted',
  'not shown',
] as const satisfies readonly ClaimVerdict[];
export type ReaderVerdict = (typeof readerVerdicts)[number];

export interface ReaderWord {
  /** Id of the claim. */
  readonly id: string;
  readonly verdict: ReaderVerdict;
  readonly why?: string;
}

export type ReaderReply =
  /** A claim without a verdict stays `unclear`; `left` says why some were not asked. */
  | { readonly kind: 'read'; readonly words: readonly ReaderWord[]; readonly left?: string }
  /** No reader was available. `message` is for people. */
  | { readonly kind: 'failed'; readonly message: string };

/** Reads claims. The first ones matter most: a reader with limited room takes those. */
export type ClaimReader = (claims: readonly ClaimToRead[]) => Promise<ReaderReply>;
