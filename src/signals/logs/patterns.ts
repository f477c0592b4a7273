/**
 * Groups lines by their pattern, with bounded memory. Based on Drain (He et al., 2017): a line whose masked form is
 * known is looked up in a map; others go through a tree of fixed depth (number of words, first word). Unlike in Drain,
 * a word becomes a wildcard only when several lines differ in it alone. So `request failed` and `request served` stay
 * two patterns, while the names of a hundred users become one.
 */
import type { LogPattern } from '../../core/index.ts';
import { maskLine, wildcard } from './mask-line.ts';
import { isBad } from './record.ts';

interface Cluster {
  words: string[];
  readonly service: string | null;
  level: string | null;
  /** Lines of the window. */
  count: number;
  /** Lines of the baseline. */
  calm: number;
  first: number | null;
  last: number | null;
  example: string;
  /** The pattern that this one was merged into; null if it was not. */
  into: Cluster | null;
}

export interface MinerOptions {
  /** Maximum patterns that are kept; rare ones are dropped when there are twice as many. Default: 2,000. */
  readonly patterns?: number;
  /** Maximum masked lines that are remembered with their pattern. Default: 20,000. */
  readonly remembered?: number;
}

export interface PatternMiner {
  /** `calm`: the line is from the baseline before the window. */
  add(message: string, at: number | null, service: string | null, level: string | null, calm?: boolean): void;
  /** Lines of the window so far. */
  readonly lines: number;
  /** Lines whose pattern was dropped. */
  readonly forgotten: number;
  /**
   * The patterns, those that changed most against the baseline first. `scale` is the window's length divided by the
   * baseline's, or null if there is no baseline.
   */
  patterns(scale: number | null): readonly LogPattern[];
}

/** Maximum characters of a line that are used. */
const maxLength = 400;
/** Maximum words of a line that are compared. */
const maxWords = 60;

export function minePatterns(options: MinerOptions = {}): PatternMiner {
  const maxClusters = options.patterns ?? 2_000;
  const maxRemembered = options.remembered ?? 20_000;
  const clusterByMasked = new Map<string, Cluster>();
  const tree = new Map<string, Cluster[]>();
  let clusters: Cluster[] = [];
  let lines = 0;
  let forgotten = 0;

  const findCluster = (masked: string, service: string | null, message: string): Cluster => {
    const words = masked.split(' ');
    if (words.length > maxWords) words.length = maxWords;
    const key = `${service ?? ''}\0${words.length}\0${leadingWord(words)}`;
    let siblings = tree.get(key);
    if (siblings === undefined) {
      siblings = [];
      tree.set(key, siblings);
    }
    const matching = siblings.find((cluster) => matchesPattern(cluster.words, words));
    if (matching !== undefined) return matching;
    const newCluster: Cluster = {
      words,
      service,
      level: null,
      count: 0,
      calm: 0,
      first: null,
      last: null,
      example: message,
      into: null,
    };
    const alikeGroup = groupDifferingAlike(siblings, words);
    if (alikeGroup !== null) {
      for (const position of alikeGroup.places)
        newCluster.words[position] = alikeGroup.clusters.reduce(
          (word, { words }) => mergeWords(word, words[position]!),
          newCluster.words[position]!,
        );
      for (const one of alikeGroup.clusters) absorb(newCluster, one);
      siblings = siblings.filter(({ into }) => into === null);
      clusters = clusters.filter(({ into }) => into === null);
      tree.set(key, siblings);
    }
    if (clusters.length >= maxClusters * 2) forgetRare();
    // The node is looked up again: if all its patterns were dropped, it was removed.
    const node = tree.get(key) ?? [];
    tree.set(key, node);
    node.push(newCluster);
    clusters.push(newCluster);
    return newCluster;
  };

  const forgetRare = (): void => {
    clusters.sort((a, b) => b.count + b.calm - a.count - a.calm);
    for (const cluster of clusters.slice(maxClusters)) forgotten += cluster.count;
    clusters = clusters.slice(0, maxClusters);
    const keptClusters = new Set(clusters);
    clusterByMasked.clear();
    for (const [key, siblings] of tree) {
      const keptSiblings = siblings.filter((cluster) => keptClusters.has(cluster));
      if (keptSiblings.length === 0) tree.delete(key);
      else tree.set(key, keptSiblings);
    }
  };

  return {
    get lines() {
      return lines;
    },
    get forgotten() {
      return forgotten;
    },
    add(message, at, service, level, calm = false) {
      const line = firstLine(message);
      const masked = maskLine(line);
      const key = service === null ? masked : `${service}\0${masked}`;
      let cluster = clusterByMasked.get(key);
      if (cluster === undefined) {
        cluster = findCluster(masked, service, line);
        if (clusterByMasked.size >= maxRemembered) clusterByMasked.clear();
        clusterByMasked.set(key, cluster);
      } else if (cluster.into !== null) {
        while (cluster.into !== null) cluster = cluster.into;
        clusterByMasked.set(key, cluster);
      }
      if (level !== null && (cluster.level === null || (isBad(level) && !isBad(cluster.level))))
        cluster.level = level;
      if (calm) {
        cluster.calm++;
        return;
      }
      lines++;
      if (cluster.count++ === 0) cluster.example = line;
      if (at === null) return;
      if (cluster.first === null || at < cluster.first) cluster.first = at;
      if (cluster.last === null || at > cluster.last) cluster.last = at;
    },
    patterns(scale) {
      return clusters
        .filter(({ count, calm }) => count > 0 || (scale !== null && calm > 0))
        .map(
          ({ words, service, level, count, calm, first, last, example }): LogPattern => ({
            template: words.join(' '),
            service,
            level,
            count,
            baseline: scale === null ? null : calm * scale,
            first,
            last,
            example,
          }),
        )
        .sort((a, b) => patternWeight(b) - patternWeight(a) || (a.template < b.template ? -1 : 1));
    },
  };
}

/**
 * How informative a pattern is: higher for bad lines, and for lines that are far more or less frequent than in the
 * baseline.
 */
export function patternWeight(pattern: LogPattern): number {
  const usualCount = pattern.baseline ?? 0;
  const change =
    pattern.baseline === null ? 1 : Math.abs(Math.log2((pattern.count + 0.5) / (usualCount + 0.5)));
  const frequency = Math.log2(Math.max(pattern.count, usualCount) + 1);
  return frequency * (0.1 + change) * (isBad(pattern.level) ? 3 : 1);
}

/** The first line of a message, without its stack trace. At most `maxLength` characters. */
function firstLine(message: string): string {
  const end = message.indexOf('\n');
  const line = end < 0 ? message : message.slice(0, end);
  return line.length > maxLength ? line.slice(0, maxLength) : line;
}

function leadingWord(words: readonly string[]): string {
  const first = words[0]!;
  return first.includes(wildcard) ? wildcard : first;
}

/** Whether the words equal the pattern, apart from wildcards. */
function matchesPattern(pattern: readonly string[], words: readonly string[]): boolean {
  for (let k = 0; k < words.length; k++) {
    const patternWord = pattern[k]!;
    if (patternWord === words[k] || patternWord === wildcard) continue;
    if (!patternWord.endsWith(wildcard) || !words[k]!.startsWith(patternWord.slice(0, -wildcard.length)))
      return false;
  }
  return true;
}

/** If this many patterns differ only in the same words, these words count as variable values. */
const minAlike = 6;
/** Maximum patterns of a node of the tree that are compared, the newest ones. */
const maxCompared = 200;

/**
 * The largest group of patterns that differ from the words in the same few places; null if it has fewer than
 * `minAlike`.
 */
function groupDifferingAlike(
  siblings: readonly Cluster[],
  words: readonly string[],
): { readonly clusters: readonly Cluster[]; readonly places: readonly number[] } | null {
  const maxDifferences = Math.floor(words.length / 3);
  if (maxDifferences === 0 || siblings.length < minAlike) return null;
  const groups = new Map<string, { clusters: Cluster[]; places: readonly number[] }>();
  for (const cluster of siblings.slice(-maxCompared)) {
    const places: number[] = [];
    for (let k = 0; k < words.length && places.length <= maxDifferences; k++)
      if (cluster.words[k] !== words[k]) places.push(k);
    if (places.length > maxDifferences) continue;
    const key = places.join();
    const group = groups.get(key) ?? { clusters: [], places };
    group.clusters.push(cluster);
    groups.set(key, group);
  }
  const [largestGroup] = [...groups.values()].sort((a, b) => b.clusters.length - a.clusters.length);
  return largestGroup !== undefined && largestGroup.clusters.length >= minAlike ? largestGroup : null;
}

function absorb(target: Cluster, cluster: Cluster): void {
  cluster.into = target;
  target.count += cluster.count;
  target.calm += cluster.calm;
  target.level = isBad(target.level) ? target.level : (cluster.level ?? target.level);
  if (cluster.first !== null && (target.first === null || cluster.first < target.first))
    target.first = cluster.first;
  if (cluster.last !== null && (target.last === null || cluster.last > target.last))
    target.last = cluster.last;
}

/** Keeps what two words share up to a `=` or `:`: `user=alice` and `user=bob` become `user=<*>`. */
function mergeWords(a: string, b: string): string {
  if (a === b) return a;
  const separator = Math.max(a.lastIndexOf('='), a.lastIndexOf(':'));
  return separator > 0 && b.startsWith(a.slice(0, separator + 1))
    ? `${a.slice(0, separator + 1)}${wildcard}`
    : wildcard;
}
