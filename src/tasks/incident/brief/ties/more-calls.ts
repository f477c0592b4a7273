/**
 * A change to a service after which it calls another far more often, though its own load did not rise: the changed code
 * makes more calls for the same work.
 */

import { serviceOf } from '../facts.ts';
import { classifyMetric, isRate, type Movement } from '../movement.ts';
import { findCallees } from '../outside/call-graph.ts';
import { serviceStem } from '../words.ts';
import { formatChangeName, type Rule, type Tie, type TieContext } from './tie.ts';

const slackMs = 90_000;
/** A rise of calls that begins within this time after the change is attributed to it. Milliseconds. */
const soonMs = 10 * 60_000;
/** The minimum rise of calls, as a factor: more than ordinary work causes. */
const minRise = 1.8;
/** Ordinary retries of calls that fail multiply them by no more than this. */
const maxRetryFactor = 4;

const isSameService = (service: string | null, name: string): boolean =>
  service !== null && serviceStem(service) === serviceStem(name);

export const moreCalls: Rule = ({ change, nature, at, service }, context) => {
  const { movements, graph, reach } = context;
  if (service === null || change.kind !== 'commit' || /^(?:inert|logging|update)$/.test(nature.kind))
    return [];
  const caller = [...graph.services].find((name) => isSameService(name, service));
  if (caller === undefined || (reach.of(caller) === 0 && reach.of(service) === 0)) return [];
  return [...(graph.callees.get(caller) ?? [])].flatMap((callee): readonly Tie[] => {
    const movement = movements.find(
      (movement) =>
        isSameService(movement.service, callee) &&
        followsLoad(movement) &&
        movement.direction === 'up' &&
        movement.factor >= minRise &&
        movement.onset >= at - slackMs &&
        movement.onset <= at + soonMs,
    );
    if (movement === undefined || hasMoreLoad(caller, movement, context)) return [];
    if (hasFailedFirst(movement, callee, context)) return [];
    return [
      {
        kind: 'edge',
        from: `${formatChangeName(change)}: ${caller} calls ${callee} more often for as much work`,
        to: `${movement.metric} of ${callee}`,
        evidence: [change.evidence, movement.evidence],
        strength: nature.kind === 'rewrite' ? 0.6 : 0.76,
        showsBehaviour: true,
      },
    ];
  });
};

/** A rate that follows the load. */
const followsLoad = ({ kind, metric }: Movement): boolean =>
  kind === 'demand' || (kind === 'work' && isRate(metric));

/** Whether the load of the caller, or of another caller, may explain the rise: it rose, or it is not measured. */
function hasMoreLoad(caller: string, movement: Movement, { facts, movements, graph }: TieContext): boolean {
  const callee = movement.service!;
  const callers = [...graph.callers].flatMap(([name, all]) => (isSameService(name, callee) ? [...all] : []));
  const indirectCallers = [...graph.services].filter((service) => findCallees(graph, service).has(caller));
  const loadSeries = facts.series.filter(
    (series) =>
      isSameService(serviceOf(series), caller) &&
      isRate(series.name) &&
      classifyMetric(series.name) !== 'errors',
  );
  if (loadSeries.length === 0) return true;
  return movements.some(
    (other) =>
      other.direction === 'up' &&
      followsLoad(other) &&
      other.factor >= Math.sqrt(movement.factor) &&
      [caller, ...callers, ...indirectCallers].some((name) => isSameService(other.service, name)),
  );
}

/**
 * Whether the callee failed first: failed calls are repeated, so a rise of calls that follows does not implicate the
 * change.
 */
function hasFailedFirst(movement: Movement, callee: string, { movements }: TieContext): boolean {
  return movements.some(
    (other) =>
      isSameService(other.service, callee) &&
      (other.kind === 'errors' || other.kind === 'latency') &&
      other.direction === 'up' &&
      other.onset <= movement.onset - (movement.factor > maxRetryFactor ? slackMs : 0),
  );
}
