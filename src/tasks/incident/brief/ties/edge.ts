/** Who calls whom: the changed service and the alerted one, with troubles that began in the right order. */
import { areNeighbours, below } from '../call-graph.ts';
import { serviceStem } from '../words.ts';
import { nameOf, type Rule } from './tie.ts';

const slack = 90_000;
/** A trouble that begins so soon after the change began with it. Milliseconds. */
const soon = 20 * 60_000;

export const edge: Rule = ({ change, nature, at, service }, { movements, graph, names }) => {
  if (service === null || nature.kind === 'inert' || nature.kind === 'told' || nature.kind === 'same')
    return [];
  const alerted = [...names];
  const isOwn = alerted.some((name) => serviceStem(name) === serviceStem(service));
  const near = alerted.find(
    (name) =>
      areNeighbours(graph, service, name) ||
      below(graph, service).has(name) ||
      below(graph, name).has(service),
  );
  if (isOwn || near === undefined) return [];
  const first = movements.filter(
    (one) =>
      one.service !== null && serviceStem(one.service) === serviceStem(service) && one.onset >= at - slack,
  )[0];
  const then = movements.filter((one) => one.service === near)[0];
  if (first === undefined || then === undefined || first.onset > then.onset + slack) return [];
  return [
    {
      kind: 'edge',
      from: `${nameOf(change)}: ${first.metric} of ${service}`,
      to: `${then.metric} of ${near}`,
      evidence: [first.evidence, then.evidence],
      strength: first.onset <= at + soon ? 0.42 : 0.3,
    },
  ];
};
