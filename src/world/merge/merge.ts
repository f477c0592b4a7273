/**
 * The contract of a three-way merge of Markdown by block, for pages or single blocks. A change of one side is kept if
 * the other side left the block unchanged. Different changes of one block are a conflict, which the caller resolves.
 * Moving a block is a change: if one side deletes a block and the other moves it, that is a conflict, and never brings
 * the block back. Pure.
 */
export interface Sides {
  /** The common ancestor. */
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/** The texts of a place that both sides changed. The text of a side is empty if it has nothing there. */
export type Conflict = Sides;

/** Symmetric: exchanging ours and theirs only exchanges the sides of each conflict. */
export type MergeResult =
  | { readonly kind: 'merged'; readonly text: string }
  | { readonly kind: 'conflict'; readonly conflicts: readonly Conflict[] };
