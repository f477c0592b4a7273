/**
 * Lines to patterns, as a stream with bounded memory. After Drain (He et al., 2017): lines with the same
 * masked form are looked up at once; the rest goes through a tree of fixed depth (number of words, first
 * word). Unlike there, a word becomes a wildcard only once several lines differ in it alone, so that `request
 * failed` and `request served` stay two patterns while the names of a hundred users become one.
 */
import type { LogPattern } from '../../core/index.ts';
import { maskLine, wildcard } from './mask-line.ts';
import { isBad } from './record.ts';

interface Cluster {
  words: string[];
  readonly service: string | null;
  level: string | null;
  count: number;
  calm: number;
  first: number | null;
  last: number | null;
  example: string;
  /** The pattern that it became part of. */
  into: Cluster | null;
}

export interface MinerOptions {
  /** Patterns that are kept at most; beyond it rare ones are dropped. */
  readonly patterns?: number;
  /** Most masked lines remembered for looking up. */
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
   * The patterns that changed most against the baseline first. `scale`: the window's length divided by the baseline's;
   * null: no baseline.
   */
  patterns(scale: number | null): readonly LogPattern[];
}

const maxLength = 400;
const maxWords = 60;

export function minePatterns(options: MinerOptions = {}): PatternMiner {
  const max = options.patterns ?? 2_000;
  const remembered = options.remembered ?? 20_000;
  const exact = new Map<string, Cluster>();
  const tree = new Map<string, Cluster[]>();
  let clusters: Cluster[] = [];
  let lines = 0;
  let forgotten = 0;

  const find = (masked: string, service: string | null, message: string): Cluster => {
    const words = masked.split(' ');
    if (words.length > maxWords) words.length = maxWords;
    const key = `${service ?? ''}\0${words.length}\0${leading(words)}`;
    let siblings = tree.get(key);
    if (siblings === undefined) {
      siblings = [];
      tree.set(key, siblings);
    }
    const fitting = siblings.find((cluster) => fits(cluster.words, words));
    if (fitting !== undefined) return fitting;
    const made: Cluster = {
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
    const alike = differingAlike(siblings, words);
    if (alike !== null) {
      for (const at of alike.places)
        made.words[at] = alike.clusters.reduce(
          (word, { words }) => mergeWords(word, words[at]!),
          made.words[at]!,
        );
      for (const one of alike.clusters) absorb(made, one);
      siblings = siblings.filter(({ into }) => into === null);
      clusters = clusters.filter(({ into }) => into === null);
      tree.set(key, siblings);
    }
    if (clusters.length >= max * 2) forgetRare();
    // Looked up again: the dropped patterns may have been all in this node.
    const place = tree.get(key) ?? [];
    tree.set(key, place);
    place.push(made);
    clusters.push(made);
    return made;
  };

  const forgetRare = (): void => {
    clusters.sort((a, b) => b.count + b.calm - a.count - a.calm);
    for (const cluster of clusters.slice(max)) forgotten += cluster.count;
    clusters = clusters.slice(0, max);
    const kept = new Set(clusters);
    exact.clear();
    for (const [key, siblings] of tree) {
      const left = siblings.filter((cluster) => kept.has(cluster));
      if (left.length === 0) tree.delete(key);
      else tree.set(key, left);
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
      let cluster = exact.get(key);
      if (cluster === undefined) {
        cluster = find(masked, service, line);
        if (exact.size >= remembered) exact.clear();
        exact.set(key, cluster);
      } else if (cluster.into !== null) {
        while (cluster.into !== null) cluster = cluster.into;
        exact.set(key, cluster);
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
        .sort((a, b) => weight(b) - weight(a) || (a.template < b.template ? -1 : 1));
    },
  };
}

/** How telling a pattern is: bad lines, and lines that come far more or less often than in the baseline. */
export function weight(pattern: LogPattern): number {
  const usual = pattern.baseline ?? 0;
  const change = pattern.baseline === null ? 1 : Math.abs(Math.log2((pattern.count + 0.5) / (usual + 0.5)));
  const often = Math.log2(Math.max(pattern.count, usual) + 1);
  return often * (0.1 + change) * (isBad(pattern.level) ? 3 : 1);
}

/** A stack trace belongs to its first line. */
function firstLine(message: string): string {
  const end = message.indexOf('\n');
  const line = end < 0 ? message : message.slice(0, end);
  return line.length > maxLength ? line.slice(0, maxLength) : line;
}

function leading(words: readonly string[]): string {
  const first = words[0]!;
  return first.includes(wildcard) ? wildcard : first;
}

/** Whether the words equal the pattern, apart from wildcards. */
function fits(pattern: readonly string[], words: readonly string[]): boolean {
  for (let k = 0; k < words.length; k++) {
    const own = pattern[k]!;
    if (own === words[k] || own === wildcard) continue;
    if (!own.endsWith(wildcard) || !words[k]!.startsWith(own.slice(0, -wildcard.length))) return false;
  }
  return true;
}

/** So many patterns that differ in the same words mean that these words are values. */
const enough = 6;
/** How many of the newest patterns at a place in the tree are compared. */
const compared = 200;

/** The patterns that differ from the words in the same few places, once they are enough. */
function differingAlike(
  siblings: readonly Cluster[],
  words: readonly string[],
): { readonly clusters: readonly Cluster[]; readonly places: readonly number[] } | null {
  const max = Math.floor(words.length / 3);
  if (max === 0 || siblings.length < enough) return null;
  const groups = new Map<string, { clusters: Cluster[]; places: readonly number[] }>();
  for (const cluster of siblings.slice(-compared)) {
    const places: number[] = [];
    for (let k = 0; k < words.length && places.length <= max; k++)
      if (cluster.words[k] !== words[k]) places.push(k);
    if (places.length > max) continue;
    const key = places.join();
    const group = groups.get(key) ?? { clusters: [], places };
    group.clusters.push(cluster);
    groups.set(key, group);
  }
  const [maxSize] = [...groups.values()].sort((a, b) => b.clusters.length - a.clusters.length);
  return maxSize !== undefined && maxSize.clusters.length >= enough ? maxSize : null;
}

function absorb(into: Cluster, cluster: Cluster): void {
  cluster.into = into;
  into.count += cluster.count;
  into.calm += cluster.calm;
  into.level = isBad(into.level) ? into.level : (cluster.level ?? into.level);
  if (cluster.first !== null && (into.first === null || cluster.first < into.first))
    into.first = cluster.first;
  if (cluster.last !== null && (into.last === null || cluster.last > into.last)) into.last = cluster.last;
}

/** Keeps what two words share up to a `=` or `:`: `user=alice` and `user=bob` become `user=<*>`. */
function mergeWords(a: string, b: string): string {
  if (a === b) return a;
  const joint = Math.max(a.lastIndexOf('='), a.lastIndexOf(':'));
  return joint > 0 && b.startsWith(a.slice(0, joint + 1)) ? `${a.slice(0, joint + 1)}${wildcard}` : wildcard;
}
