/** What ties a commit to the symptoms: words, texts and numbers that stand in both. */
import type { Change } from '../../../core/index.ts';
import { textsIn } from './diff.ts';
import type { Nature } from './nature.ts';
import type { Symptom } from './symptoms.ts';
import { identifiersOf, tellingWords } from './words.ts';

export interface Links {
  /** 0 to 1. */
  readonly strength: number;
  /** The most telling ones, for a reader. */
  readonly shared: readonly string[];
  readonly evidence: readonly string[];
}

/** How rare a word is among the commits: 0 where all have it, 1 where this one alone has. */
export type Rarity = (word: string) => number;

const every = (text: string): readonly string[] => [...tellingWords(text), ...identifiersOf(text)];

export function rarityOf(commits: readonly Change[]): Rarity {
  const seen = new Map<string, number>();
  for (const { title, paths, diff } of commits)
    for (const word of new Set(every(`${title} ${paths.join(' ')} ${diff ?? ''}`)))
      seen.set(word, (seen.get(word) ?? 0) + 1);
  const all = Math.log(commits.length + 1);
  return (word) =>
    all === 0 ? 1 : Math.max(0, Math.log((commits.length + 1) / ((seen.get(word) ?? 0) + 0.5)) / all);
}

/** What a commit is about, each word with its weight: most what its diff adds or takes away. */
function weighWords({ title, paths }: Change, { diff }: Nature): ReadonlyMap<string, number> {
  const words = new Map<string, number>();
  const add = (some: readonly string[], weight: number): void => {
    for (const word of some) words.set(word, Math.max(words.get(word) ?? 0, weight));
  };
  add(every(title), 0.35);
  add(every(paths.join(' ')), 0.45);
  if (diff === null) return words;
  const [old, fresh] = [diff.removed.flatMap(every), diff.added.flatMap(every)];
  add([...old, ...fresh], 0.3);
  add(
    [...diff.values, ...diff.texts].flatMap(({ line }) => every(line)),
    0.9,
  );
  add(
    [...new Set([...old, ...fresh])].filter(
      (word) => old.filter((one) => one === word).length !== fresh.filter((one) => one === word).length,
    ),
    1,
  );
  return words;
}

const flat = (text: string): string => text.replace(/\s+/g, ' ').trim().toLowerCase();

export function linksOf(
  change: Change,
  nature: Nature,
  symptoms: readonly Symptom[],
  rarity: Rarity,
  ordinary: string,
): Links {
  const shared: { readonly word: string; readonly gain: number; readonly evidence: string }[] = [];
  for (const [word, weight] of weighWords(change, nature)) {
    const best = symptoms.filter(({ words }) => words.has(word)).sort((a, b) => b.weight - a.weight)[0];
    if (best !== undefined)
      shared.push({ word, gain: weight * rarity(word) * best.weight, evidence: best.evidence });
  }
  const { diff } = nature;
  if (diff !== null) {
    for (const literal of new Set(
      diff.texts.flatMap(({ was, is }) => [was, is]).concat(listChangedTexts(diff)),
    )) {
      const found = symptoms.find(({ text }) => quotes(text, literal));
      if (found !== undefined)
        shared.push({ word: `"${literal}"`, gain: 1.5 * found.weight, evidence: found.evidence });
    }
    for (const { isText } of diff.values) {
      const number = /\d+(?:\.\d+)?/.exec(isText)?.[0] ?? '';
      if (number.length < 2) continue;
      const alone = new RegExp(`(?<![\\w.])${number.replace('.', '\\.')}(?:ms|s|m|%)?(?![\\w.])`);
      const found = symptoms.find(({ text, evidence }) => evidence !== '' && alone.test(text));
      if (found !== undefined && !alone.test(ordinary))
        shared.push({ word: number, gain: 1.5 * found.weight, evidence: found.evidence });
    }
  }
  shared.sort((a, b) => b.gain - a.gain);
  const sum = shared.reduce((total, { gain }) => total + gain, 0);
  return {
    strength: 1 - Math.exp(-sum / 2.5),
    shared: shared.slice(0, 5).map(({ word }) => word),
    evidence: [...new Set(shared.slice(0, 3).map(({ evidence }) => evidence))].filter((id) => id !== ''),
  };
}

/** Texts of lines that were put there or taken away as a whole. */
function listChangedTexts({ removed, added }: NonNullable<Nature['diff']>): readonly string[] {
  const [old, fresh] = [removed.flatMap(textsIn), added.flatMap(textsIn)];
  return [...old.filter((text) => !fresh.includes(text)), ...fresh.filter((text) => !old.includes(text))];
}

/** A long text must stand there; a short one in quotation marks, or as a name of several parts, since it is also part of other words. */
function quotes(symptom: string, literal: string): boolean {
  const [text, wanted] = [flat(symptom), flat(literal)];
  if (wanted.length >= 12) return text.includes(wanted);
  if (/^\w+(?:[-_.:/]\w+)+$/.test(wanted)) return text.split(/[^\w.:/-]+/).includes(wanted);
  return wanted.length >= 3 && ['"', "'", '`'].some((mark) => text.includes(`${mark}${wanted}${mark}`));
}
