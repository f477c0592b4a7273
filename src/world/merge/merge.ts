/**
 * The contract of merging two texts that were made of a third: by block, so that nothing that one side wrote
 * and the other left unchanged is lost, and nothing is decided between two changes of one block. Texts are
 * Markdown, whole pages or single blocks. Pure: no store, no clock; the caller decides what to do about a
 * conflict.
 */
export interface Sides {
  /** What both were made of. */
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/** One place that both sides changed; empty where a side has nothing there. */
export type Conflict = Sides;

/** The same with ours and theirs exchanged: only the sides of a conflict change places. */
export type Merged =
  | { readonly kind: 'merged'; readonly text: string }
  | { readonly kind: 'conflict'; readonly conflicts: readonly Conflict[] };
