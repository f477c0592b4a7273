/**
 * The program's own words for its computed facts, which its pages use. The check of claims knows these words, so a
 * claim may use them though no source contains them.
 */
export const pageWords = {
  /** The verb for a deploy that was the first to contain a commit. */
  brought: 'brought',
  brings: 'brings',
  /** When the first series left its usual range. */
  onset: 'onset',
} as const;
