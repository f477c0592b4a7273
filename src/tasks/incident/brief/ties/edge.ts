/**
 * Ties by a connection: records lead from the changed service to the alerted one, and both became abnormal in that
 * order after the change.
 */
import { distinctiveWords, serviceStem } from '../words.ts';
import { formatChangeName, type Rule, type Tie, type TieContext, type TiedChange } from './tie.ts';

const slackMs = 90_000;
/** Trouble that begins this soon after a change is attributed to it. Milliseconds. */
const soonMs = 20 * 60_000;
/**
 * The factor for commits that a deploy included besides the commit it was made for: place and time say less about them.
 */
const includedFactor = 0.5;
/** A switched flag takes effect at once. */
const immediateMs = 2 * 60_000;

export const edge: Rule = (tied, context) => {
  const { change, nature, at, service, isIncluded } = tied;
  const { movements, reach, names } = context;
  if (service === null || nature.kind === 'inert' || nature.kind === 'logging') return [];
  const isOwnService = [...names].some((name) => serviceStem(name) === serviceStem(service));
  if (nature.kind === 'rewrite') return isOwnService ? findNewCallee(tied, context) : [];
  const strength = reach.of(service);
  if (isOwnService)
    return change.kind === 'commit' ? findNewCallee(tied, context) : findThroughAnother(change, at, context);
  if (strength === 0) return [];
  const firstMovement = movements.find(
    (movement) =>
      movement.service !== null &&
      serviceStem(movement.service) === serviceStem(service) &&
      movement.onset >= at - slackMs,
  );
  const alertedMovement = movements.find(
    (movement) => movement.service !== null && names.has(movement.service),
  );
  if (
    firstMovement === undefined ||
    alertedMovement === undefined ||
    firstMovement.onset > alertedMovement.onset + slackMs
  )
    return [];
  const gap = firstMovement.onset - at;
  const isSwitched = change.kind !== 'commit' && gap <= immediateMs;
  return [
    {
      kind: 'edge',
      from: `${formatChangeName(change)}: ${firstMovement.metric} of ${service}`,
      to: `${alertedMovement.metric} of ${alertedMovement.service}`,
      evidence: [
        ...new Set([
          firstMovement.evidence,
          alertedMovement.evidence,
          ...reach.path(service).flatMap(({ evidence }) => evidence),
        ]),
      ].slice(0, 4),
      strength:
        (isSwitched ? 0.55 : gap <= soonMs ? 0.5 : 0.35) *
        (0.6 + 0.4 * strength) *
        (isIncluded === true ? includedFactor : 1),
    },
  ];
};

/** The changed lines newly call a service, and that service gets more requests since. */
function findNewCallee({ change, nature, at }: TiedChange, { movements, names }: TieContext): readonly Tie[] {
  const { diff } = nature;
  if (diff === null) return [];
  const listWords = (lines: readonly string[]): ReadonlySet<string> =>
    new Set(lines.flatMap(distinctiveWords));
  const [oldWords, newWords] = [listWords(diff.code.removed), listWords(diff.code.added)];
  const ownWords = new Set([...names].flatMap(distinctiveWords));
  const demandMovement = movements.find(
    ({ service, kind, direction, onset }) =>
      service !== null &&
      kind === 'demand' &&
      direction === 'up' &&
      onset >= at - slackMs &&
      distinctiveWords(service).some(
        (word) => word.length > 4 && !ownWords.has(word) && newWords.has(word) && !oldWords.has(word),
      ),
  );
  if (demandMovement === undefined) return [];
  return [
    {
      kind: 'edge',
      from: `${formatChangeName(change)}: calls ${demandMovement.service}`,
      to: `${demandMovement.metric} of ${demandMovement.service}`,
      evidence: [change.evidence, demandMovement.evidence],
      strength: 0.8,
    },
  ];
}

/**
 * A flag was switched on the alerted service itself. A service that it depends on changed at once, and after that the
 * alerted service.
 */
function findThroughAnother(
  change: TiedChange['change'],
  at: number,
  { movements, reach, names }: TieContext,
): readonly Tie[] {
  const firstMovement = movements.find(({ onset }) => onset >= at - slackMs / 3);
  const alertedMovement = movements.find(
    ({ service, onset }) => service !== null && names.has(service) && onset >= at,
  );
  if (
    firstMovement === undefined ||
    alertedMovement === undefined ||
    firstMovement.service === null ||
    names.has(firstMovement.service)
  )
    return [];
  if (Math.abs(firstMovement.onset - at) > immediateMs / 2 || firstMovement.onset > alertedMovement.onset)
    return [];
  return [
    {
      kind: 'edge',
      from: `${formatChangeName(change)}: ${firstMovement.metric} of ${firstMovement.service}`,
      to: `${alertedMovement.metric} of ${alertedMovement.service}`,
      evidence: [change.evidence, firstMovement.evidence, alertedMovement.evidence],
      strength: 0.45 * (0.6 + 0.4 * reach.of(firstMovement.service)),
    },
  ];
}
