/** How well a word distinguishes one change from the others. */
import type { Change } from '../../../core/index.ts';
import { identifiersOf, tellingWords } from './words.ts';

/** How rare a word is among the commits: 0 if all contain it, 1 if only this one does. */
export type Rarity = (word: string) => number;

const every = (text: string): readonly string[] => [...tellingWords(text), ...identifiersOf(text)];

export function rarityOf(commits: readonly Change[]): Rarity {
  const seen = new Map<string, number>();
  for (const { title, paths, diff } of commits)
    for (const word of new Set(every(`${title} ${paths.join(' ')} ${diff ?? ''}`)))
      seen.set(word, (seen.get(word) ?? 0) + 1);
  const all = Math.log(commits.length + 1);
  return (word) =>
    all === 0 ? 1 : Math.max(0, Math.log((commits.length + 1) / Math.max(1, seen.get(word) ?? 1)) / all);
}
