/**
 * Splits names and texts into words, so that a metric, a log line and a diff can be compared, and measures their
 * rarity.
 */
import type { Change } from '../../../core/index.ts';

/** Words that occur in every diff and every log, so that they distinguish nothing. */
const commonWords = new Set(
  (
    'the a an and or of to in on at by for from with without is are was be it its this that no not as if else ' +
    'return returns func function def class struct type var let const new nil null none true false err error ' +
    'errors string int int64 float float64 bool byte map list array any void public private static final import ' +
    'package self ctx context req request res resp response http service services server client handler get set ' +
    'add use using used make value values key name data item items per count total sec ms min max avg sum rate ' +
    'ratio pct percent seconds second minute minutes hour time timestamp duration info warn warning debug msg ' +
    'message log logger svc api app main src lib pkg internal cmd go ts js py java rb rs file line code test'
  ).split(' '),
);

/** Splits a text into words: `DefaultTTL`, `default_ttl` and `default-ttl` give the same two. Numbers are left out. */
export function splitWords(text: string): readonly string[] {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map(stem)
    .filter((word) => word.length > 1 && !/^\d+$/.test(word));
}

const stem = (word: string): string =>
  word.length > 4 && word.endsWith('ies')
    ? `${word.slice(0, -3)}y`
    : word.length > 3 && word.endsWith('s') && !word.endsWith('ss')
      ? word.slice(0, -1)
      : word;

/** Words that can distinguish one thing from another. */
export const distinctiveWords = (text: string): readonly string[] =>
  splitWords(text).filter((word) => !commonWords.has(word));

/** Whole identifiers in lower case, without separators: `PutItem` and `put_item` become `putitem`. */
export function findIdentifiers(text: string): readonly string[] {
  return (text.match(/[A-Za-z_][A-Za-z0-9_]{3,}/g) ?? [])
    .filter((name) => /[a-z][A-Z]|_/.test(name))
    .map((name) => name.replaceAll('_', '').toLowerCase())
    .filter((name) => name.length > 4);
}

/** The part that is the same in all spellings of a service: `search` for `search`, `searchservice`, `search-svc`. */
export const serviceStem = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[-_.]?(service|svc|server|api|app|deployment)$/, '')
    .replace(/[^a-z0-9]/g, '');

/** Whether a path or a text names the service. */
export function namesService(text: string, service: string): boolean {
  const stemmed = serviceStem(service);
  if (stemmed.length < 3) return false;
  return text
    .toLowerCase()
    .split(/[/\s]+/)
    .some((part) => serviceStem(part.replace(/\.[a-z]+$/, '')) === stemmed);
}

/** How rare a word is among the commits: 0 if all contain it, 1 if only this one does. */
export type Rarity = (word: string) => number;

const listTerms = (text: string): readonly string[] => [...distinctiveWords(text), ...findIdentifiers(text)];

export function computeRarity(commits: readonly Change[]): Rarity {
  const commitCounts = new Map<string, number>();
  for (const { title, paths, diff } of commits)
    for (const word of new Set(listTerms(`${title} ${paths.join(' ')} ${diff ?? ''}`)))
      commitCounts.set(word, (commitCounts.get(word) ?? 0) + 1);
  const maxRarity = Math.log(commits.length + 1);
  return (word) =>
    maxRarity === 0
      ? 1
      : Math.max(0, Math.log((commits.length + 1) / Math.max(1, commitCounts.get(word) ?? 1)) / maxRarity);
}
