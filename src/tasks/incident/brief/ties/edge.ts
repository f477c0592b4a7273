/** A record leads from the changed thing to the alerted one, and their troubles began in the right order after it. */
import { serviceStem } from '../words.ts';
import { nameOf, type Rule, type Sight, type Tie, type Tied } from './tie.ts';

const slack = 90_000;
/** A trouble that begins so soon after the change began with it. Milliseconds. */
const soon = 20 * 60_000;
/** What was switched acts at once. */
const atOnce = 2 * 60_000;

export const edge: Rule = ({ change, nature, at, service }, sight) => {
  const { movements, reach, names } = sight;
  if (service === null || nature.kind === 'inert' || nature.kind === 'told' || nature.kind === 'same')
    return [];
  const isOwn = [...names].some((name) => serviceStem(name) === serviceStem(service));
  const strength = reach.of(service);
  if (isOwn) return change.kind === 'commit' ? [] : throughAnother(change, at, sight);
  if (strength === 0) return [];
  const first = movements.find(
    (one) =>
      one.service !== null && serviceStem(one.service) === serviceStem(service) && one.onset >= at - slack,
  );
  const then = movements.find((one) => one.service !== null && names.has(one.service));
  if (first === undefined || then === undefined || first.onset > then.onset + slack) return [];
  const gap = first.onset - at;
  const isSwitched = change.kind !== 'commit' && gap <= atOnce;
  return [
    {
      kind: 'edge',
      from: `${nameOf(change)}: ${first.metric} of ${service}`,
      to: `${then.metric} of ${then.service}`,
      evidence: [
        ...new Set([
          first.evidence,
          then.evidence,
          ...reach.path(service).flatMap(({ evidence }) => evidence),
        ]),
      ].slice(0, 4),
      strength: (isSwitched ? 0.55 : gap <= soon ? 0.5 : 0.35) * (0.6 + 0.4 * strength),
    },
  ];
};

/** Switched on the alerted thing itself: what that depends on left its course at once, and it after that. */
function throughAnother(
  change: Tied['change'],
  at: number,
  { movements, reach, names }: Sight,
): readonly Tie[] {
  const first = movements.find(({ onset }) => onset >= at - slack / 3);
  const then = movements.find(({ service, onset }) => service !== null && names.has(service) && onset >= at);
  if (first === undefined || then === undefined || first.service === null || names.has(first.service))
    return [];
  if (Math.abs(first.onset - at) > atOnce / 2 || first.onset > then.onset) return [];
  return [
    {
      kind: 'edge',
      from: `${nameOf(change)}: ${first.metric} of ${first.service}`,
      to: `${then.metric} of ${then.service}`,
      evidence: [change.evidence, first.evidence, then.evidence],
      strength: 0.45 * (0.6 + 0.4 * reach.of(first.service)),
    },
  ];
}
