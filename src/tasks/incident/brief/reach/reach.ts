/**
 * Finds everything that the alerted service depends on, as far as records show. Everything else is
 * ignored.
 */
import { type Facts, serviceOf } from '../facts.ts';
import { isAmong } from '../subject.ts';
import type { Edge } from './edge.ts';

export interface Reach {
  /** From 0 to 1: 1 for the subject of the alert; 0 if no chain of records connects it. */
  readonly of: (name: string | null) => number;
  /** The connections from the alert to the name, in order. */
  readonly path: (name: string) => readonly Edge[];
  readonly names: ReadonlySet<string>;
}

/** A chain of connections that is weaker than this is ignored. */
const minReach = 0.3;
const maxSteps = 4;

interface ReachPath {
  readonly strength: number;
  readonly path: readonly Edge[];
}

export function computeReach(subject: ReadonlySet<string>, edges: readonly Edge[]): Reach {
  const toKey = (name: string): string => name.toLowerCase();
  const neighbours = new Map<string, { readonly to: string; readonly edge: Edge }[]>();
  const addEdge = (from: string, to: string, edge: Edge): void => {
    const all = neighbours.get(toKey(from)) ?? [];
    const index = all.findIndex((link) => toKey(link.to) === toKey(to));
    if (index < 0) all.push({ to, edge });
    else if (all[index]!.edge.strength < edge.strength) all[index] = { to, edge };
    neighbours.set(toKey(from), all);
  };
  for (const edge of edges) {
    addEdge(edge.from, edge.to, edge);
    addEdge(edge.to, edge.from, edge);
  }
  const paths = new Map<string, ReachPath>(
    [...subject].map((name) => [toKey(name), { strength: 1, path: [] }]),
  );
  const originalNames = new Map([...subject].map((name) => [toKey(name), name]));
  let frontier = [...subject];
  for (let step = 0; step < maxSteps && frontier.length > 0; step += 1) {
    const newNames = new Set<string>();
    for (const from of frontier) {
      const path = paths.get(toKey(from))!;
      for (const { to, edge } of neighbours.get(toKey(from)) ?? []) {
        const strength = path.strength * edge.strength;
        if (strength < minReach || strength <= (paths.get(toKey(to))?.strength ?? 0)) continue;
        paths.set(toKey(to), { strength, path: [...path.path, edge] });
        originalNames.set(toKey(to), to);
        newNames.add(to);
      }
    }
    frontier = [...newNames];
  }
  const names = new Set(originalNames.values());
  const findPath = (name: string): ReachPath | undefined =>
    paths.get(toKey(name)) ?? (isAmong(subject, name) ? { strength: 1, path: [] } : undefined);
  return {
    of: (name) => (name === null ? 1 : (findPath(name)?.strength ?? 0)),
    path: (name) => findPath(name)?.path ?? [],
    names,
  };
}

/** The facts within reach. All changes are kept, since only a diff shows what a change touches. */
export function filterWithinReach(facts: Facts, reach: Reach): Facts {
  const isNear = (name: string | null): boolean => reach.of(name) > 0;
  return {
    ...facts,
    series: facts.series.filter((series) => isNear(serviceOf(series))),
    lines: facts.lines.filter(({ service }) => isNear(service)),
    patterns: facts.patterns.filter(({ service }) => isNear(service)),
    spans: facts.spans.filter(({ service }) => isNear(service)),
  };
}
