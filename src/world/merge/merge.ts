/**
 * Merges two texts made from a common one, by block. No change of one side is lost if the other side left the block
 * unchanged. Two changes of one block are a conflict, never decided here. Moving a block is a change too: if one side
 * deleted it and the other moved it, that is a conflict, and the block never comes back into a merged text. Texts are
 * Markdown, whole pages or single blocks. Pure: no store, no clock; the caller decides what to do about a conflict.
 */
export interface Sides {
  /** The common ancestor. */
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/** One place that both sides changed. The text of a side is empty if it has nothing there. */
export type Conflict = Sides;

/** Symmetric: exchanging ours and theirs only exchanges the sides of each conflict. */
export type MergeResult =
  | { readonly kind: 'merged'; readonly text: string }
  | { readonly kind: 'conflict'; readonly conflicts: readonly Conflict[] };
