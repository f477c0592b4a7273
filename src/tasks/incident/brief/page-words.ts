/**
 * The program's own words for what it worked out. Pages are written with them, and claims that repeat them
 * are checked with them: a word that a page uses is never refused as unknown.
 */
export const pageWords = {
  /** A delivery and the commits that it names. */
  brought: 'brought',
  brings: 'brings',
  /** When the first series left its ordinary course. */
  onset: 'onset',
} as const;
