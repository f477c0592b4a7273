/** The finding of one record about a claim. */

export type Finding =
  | { readonly kind: 'shown' }
  /** It is about the same subject and says otherwise. */
  | { readonly kind: 'against'; readonly why: string }
  /** It neither shows nor excludes the claim. */
  | { readonly kind: 'open'; readonly why: string }
  /** It holds nothing of the claim, or only a part. */
  | { readonly kind: 'lacks'; readonly why: string };

export const shown: Finding = Object.freeze({ kind: 'shown' });
export const against = (why: string): Finding => ({ kind: 'against', why });
export const open = (why: string): Finding => ({ kind: 'open', why });
export const lacks = (why: string): Finding => ({ kind: 'lacks', why });
