/**
 * Merges two texts made from a common one, by block. No change of one side is lost where the other side left the
 * block unchanged; two changes of one block are a conflict, never decided here. To move it is a change too: what one
 * side deleted and the other moved is a conflict, and never stands in a merged text again. Texts are Markdown, whole
 * pages or single blocks. Pure: no store, no clock; the caller decides what to do about a conflict.
 */
export interface Sides {
  /** The common ancestor. */
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/** One place that both sides changed; empty if a side has nothing there. */
export type Conflict = Sides;

/** Symmetric: exchanging ours and theirs only exchanges the sides of each conflict. */
export type Merged =
  | { readonly kind: 'merged'; readonly text: string }
  | { readonly kind: 'conflict'; readonly conflicts: readonly Conflict[] };
