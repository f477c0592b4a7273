/**
 * Used if no message names a cause: finds the metric in reach that moved before the alerted one, or the one replica
 * that behaves differently from the others. The result is a place, not an explanation.
 */
import type { Series } from '../../../../core/index.ts';
import { type Facts, serviceOf, type WithEvidence } from '../facts.ts';
import { isRelief, isSymptom, type Movement } from '../movement.ts';
import type { Reach } from '../reach/reach.ts';
import { isAmong } from '../subject.ts';
import { serviceStem } from '../words.ts';
import type { Condition, StateSeen } from './condition.ts';

/** Whether the state tells only where the problem began, not what it is. */
export const isPlaceOnly = ({ condition }: Pick<StateSeen, 'condition'>): boolean =>
  condition === firstToMove;
/** Whether the state is that of one replica which behaves differently from the others. */
export const isUnlikeOthers = ({ condition }: Pick<StateSeen, 'condition'>): boolean =>
  condition === unlikeTheOthers;

const firstToMove: Condition = {
  name: 'a part that left its course first',
  category: 'infrastructure',
  role: 'root',
  remedy: 'Look what was done there when it left its course.',
};
const unlikeTheOthers: Condition = {
  name: 'one of several alike that behaves as no other',
  category: 'infrastructure',
  role: 'root',
  remedy: 'Take it out, and compare what runs there with the others.',
};

/**
 * The minimum change, as a factor, that could cause other changes; the minimum reach of a service whose connection is
 * weak.
 */
const minFactor = 2;
const minReach = 0.5;

export function findFirstMovers(
  movements: readonly Movement[],
  reach: Reach,
  names: ReadonlySet<string>,
  onset: number,
): readonly StateSeen[] {
  const others = movements.filter((movement) => {
    const { service, factor, onset: at } = movement;
    return (
      service !== null &&
      !isRelief(movement) &&
      !isAmong(names, service) &&
      reach.of(service) >= minReach &&
      factor >= minFactor &&
      at < onset
    );
  });
  const [first] = others;
  if (
    first === undefined ||
    others.some((movement) => movement.service !== first.service && movement.onset <= first.onset)
  )
    return [];
  // A service that only waits for the alerted one becomes slow because of it, so it was not first.
  if (isSymptom(first) && first.direction === 'up' && reach.path(first.service!).length > 1) return [];
  return [
    {
      condition: firstToMove,
      object: first.service!,
      service: first.service,
      first: first.onset,
      last: null,
      isCurrent: false,
      quote: `${first.metric} went ${first.direction} before anything else`,
      evidence: first.evidence,
    },
  ];
}

/** Minimum number of similar replicas; the minimum factor between one and the others now, and the maximum before. */
const minReplicas = 4;
const minFactorNow = 5;
const maxFactorBefore = 2;

export function findUnlikeOthers({ series }: Facts, onset: number): readonly StateSeen[] {
  const groups = Map.groupBy(
    series.filter((series) => serviceOf(series) !== null),
    (series) => `${series.name}/${serviceStem(serviceOf(series)!).replace(/\d+$/, '')}`,
  );
  return [...groups.values()].flatMap((all): readonly StateSeen[] => {
    if (new Set(all.map(serviceOf)).size < minReplicas) return [];
    const replicaLevels = all.map((replica) => ({ replica, ...computeLevels(replica, onset) }));
    const sorted = replicaLevels.toSorted((a, b) => b.after - a.after);
    const medianReplica = sorted[sorted.length >> 1]!;
    const [highest] = sorted;
    const lowest = sorted.at(-1)!;
    const outlier =
      highest!.after >= minFactorNow * Math.max(medianReplica.after, 1e-9) &&
      highest!.before <= maxFactorBefore * medianReplica.before
        ? highest!
        : medianReplica.after >= minFactorNow * Math.max(lowest.after, 1e-9) &&
            lowest.before * maxFactorBefore >= medianReplica.before &&
            medianReplica.before > 0
          ? lowest
          : null;
    if (outlier === null) return [];
    const object = serviceOf(outlier.replica)!;
    return [
      {
        condition: unlikeTheOthers,
        object,
        service: object,
        first: onset,
        last: null,
        isCurrent: true,
        quote: `${outlier.replica.name} is at ${outlier.after}, and at ${medianReplica.after} where the others are`,
        evidence: outlier.replica.evidence,
      },
    ];
  });
}

function computeLevels(
  { points }: WithEvidence<Series>,
  onset: number,
): { readonly before: number; readonly after: number } {
  const median = (values: readonly number[]): number =>
    values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
  return {
    before: median(points.filter(([at]) => at < onset - 60_000).map(([, value]) => value)),
    after: median(points.filter(([at]) => at > onset + 60_000).map(([, value]) => value)),
  };
}
