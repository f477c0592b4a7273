/**
 * The program's own words for its computed facts. Pages and the checks of claims use the same words, so a word from a
 * page is never refused as unknown.
 */
export const pageWords = {
  /** A deploy that brought a commit. */
  brought: 'brought',
  brings: 'brings',
  /** When the first series left its usual range. */
  onset: 'onset',
} as const;
