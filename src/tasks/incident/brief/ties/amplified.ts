/**
 * A change to one that calls another, which is called far more since, while the caller itself is asked no more than before: the
 * changed code calls more often for the same work.
 */
import { below } from '../call-graph.ts';
import { serviceOf } from '../facts.ts';
import { isRate, kindOf, type Movement } from '../movement.ts';
import { serviceStem } from '../words.ts';
import { nameOf, type Rule, type Tie, type TieContext } from './tie.ts';

const slack = 90_000;
/** More calls that begin so soon after the change began with it. Milliseconds. */
const soon = 10 * 60_000;
/** A rise of calls that ordinary work does not bring. */
const surge = 1.8;
/** Ordinary retries of calls that fail multiply them by no more than this. */
const retries = 4;

const isOf = (service: string | null, name: string): boolean =>
  service !== null && serviceStem(service) === serviceStem(name);

export const amplified: Rule = ({ change, nature, at, service }, context) => {
  const { movements, graph, reach } = context;
  if (service === null || change.kind !== 'commit' || /^(?:inert|told|vehicle)$/.test(nature.kind)) return [];
  const caller = [...graph.services].find((one) => isOf(one, service));
  if (caller === undefined || (reach.of(caller) === 0 && reach.of(service) === 0)) return [];
  return [...(graph.callees.get(caller) ?? [])].flatMap((callee): readonly Tie[] => {
    const movement = movements.find(
      (one) =>
        isOf(one.service, callee) &&
        isAsking(one) &&
        one.direction === 'up' &&
        one.factor >= surge &&
        one.onset >= at - slack &&
        one.onset <= at + soon,
    );
    if (movement === undefined || isAskedMore(caller, movement, context)) return [];
    if (isFirstFailing(movement, callee, context)) return [];
    return [
      {
        kind: 'edge',
        from: `${nameOf(change)}: ${caller} calls ${callee} more often for as much work`,
        to: `${movement.metric} of ${callee}`,
        evidence: [change.evidence, movement.evidence],
        strength: nature.kind === 'same' ? 0.6 : 0.76,
        isOfWork: true,
      },
    ];
  });
};

/** What is done per unit of time, as often as it is asked for. */
const isAsking = ({ kind, metric }: Movement): boolean =>
  kind === 'demand' || (kind === 'work' && isRate(metric));

/** The caller's own work is measured, and kept its course or fell; and no other caller of it, or the caller's own, does more. */
function isAskedMore(caller: string, movement: Movement, { facts, movements, graph }: TieContext): boolean {
  const callee = movement.service!;
  const callers = [...graph.callers].flatMap(([name, all]) => (isOf(name, callee) ? [...all] : []));
  const above = [...graph.services].filter((one) => below(graph, one).has(caller));
  const measured = facts.series.filter(
    (series) => isOf(serviceOf(series), caller) && isRate(series.name) && kindOf(series.name) !== 'errors',
  );
  if (measured.length === 0) return true;
  return movements.some(
    (one) =>
      one.direction === 'up' &&
      isAsking(one) &&
      one.factor >= Math.sqrt(movement.factor) &&
      [caller, ...callers, ...above].some((name) => isOf(one.service, name)),
  );
}

/** What fails is asked again: a callee that was in trouble before it was asked more often is no sign of another's change. */
function isFirstFailing(movement: Movement, callee: string, { movements }: TieContext): boolean {
  return movements.some(
    (one) =>
      isOf(one.service, callee) &&
      (one.kind === 'errors' || one.kind === 'latency') &&
      one.direction === 'up' &&
      one.onset <= movement.onset - (movement.factor > retries ? slack : 0),
  );
}
