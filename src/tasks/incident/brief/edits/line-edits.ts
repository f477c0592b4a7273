/** Finds a call or a factor that an otherwise equal line lost or gained. */

import { distinctiveWords, splitWords } from '../words.ts';
import type { Diff } from './diff.ts';

/** The minimum share of its words that an edited line keeps; with fewer it is a new line. */
const minKeptWords = 0.6;

/** Lines edited in otherwise unchanged surroundings: code that was rewritten as a whole may do the same as before. */
export function findEditedLines({ pairs, removed }: Pick<Diff, 'pairs' | 'removed'>): Diff['pairs'] {
  if (removed.length !== pairs.length) return [];
  return pairs.filter(([was, is]) => {
    const [old, fresh] = [new Set(splitWords(was)), new Set(splitWords(is))];
    return [...old].filter((word) => fresh.has(word)).length >= minKeptWords * Math.max(old.size, fresh.size);
  });
}

const factorPattern = /[*/]\s*\d[\d_]*(?:\.\d+)?(?:e\d+)?(?![\w.])/g;

/** A factor such as `* 1000` that was added to or removed from an otherwise equal line; null if there is none. */
export function findChangedFactor(pairs: Diff['pairs']): string | null {
  const removeFactors = (line: string): string => line.replace(factorPattern, '').replace(/[\s()]/g, '');
  for (const [was, is] of pairs) {
    const [old, fresh] = [was.match(factorPattern) ?? [], is.match(factorPattern) ?? []];
    if (old.length !== fresh.length && removeFactors(was) === removeFactors(is))
      return (old[0] ?? fresh[0])!.trim();
  }
  return null;
}

const calleePattern = /([A-Za-z_]\w*[!?]?)\s*\(/g;
const keyword = /^(if|for|while|switch|return|catch|match|and|or|not|in|fn|func|function|def)$/;

/** A call in the old line that no line of the new version makes; null if there is none. */
export function findLostCall(was: string, others: readonly string[]): string | null {
  const remaining = others.join('\n').toLowerCase();
  for (const [, name = ''] of was.matchAll(calleePattern))
    if (name.length > 2 && !keyword.test(name) && !remaining.includes(name.toLowerCase())) return name;
  return null;
}

/** Whether an edit only reworded a message. The message was sent before, so the change does not explain it. */
export function isReworded(was: string, is: string): boolean {
  const [shorterText, longerText] = was.length < is.length ? [was, is] : [is, was];
  const words = distinctiveWords(shorterText);
  const all = distinctiveWords(longerText);
  return words.length > 0 && /\p{L}\s+\p{L}/u.test(shorterText) && words.every((word) => all.includes(word));
}
