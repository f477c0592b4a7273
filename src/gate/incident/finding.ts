/** What one record makes of a claim. */

export type Finding =
  | { readonly kind: 'shown' }
  /** It is about the same, and has it otherwise. */
  | { readonly kind: 'against'; readonly why: string }
  /** It may be so, for all that it holds. */
  | { readonly kind: 'open'; readonly why: string }
  /** It holds none of it, or not all. */
  | { readonly kind: 'lacks'; readonly why: string };

export const shown: Finding = Object.freeze({ kind: 'shown' });
export const against = (why: string): Finding => ({ kind: 'against', why });
export const open = (why: string): Finding => ({ kind: 'open', why });
export const lacks = (why: string): Finding => ({ kind: 'lacks', why });
