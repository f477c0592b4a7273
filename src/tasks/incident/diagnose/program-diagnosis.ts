/** Writes a diagnosis without a model, in the words of the evidence. */
import { formatShortNumber } from '../../../core/incidents.ts';
import type { IncidentClaim, IncidentFields } from '../../../core/index.ts';
import type { Alert } from '../alert/alert.ts';
import type { Cause } from '../brief/choose.ts';
import type { Facts } from '../brief/facts.ts';
import { type Judgement, toBlame } from '../brief/judge.ts';
import { findJumpWithoutHistory, isSymptom, type Movement } from '../brief/movement.ts';
import { quoteText } from '../brief/outside/outside-cause.ts';
import { withoutPlanted } from '../brief/planted.ts';
import { filterWithinReach } from '../brief/reach/reach.ts';
import type { StateCause } from '../brief/state/states.ts';
import type { SuspectChange } from '../brief/suspects.ts';
import { isBad, isWorse } from '../brief/symptoms.ts';
import type { WrittenDiagnosis } from './conclusion.ts';

/** A change with a lower score is not recommended for a closer look. */
const minScoreForRemedy = 0.03;
/** Maximum movements of metrics in the causal chain. */
const maxMovements = 6;

const formatTime = (at: number): string => new Date(at).toISOString().replace(/\.000Z$/, 'Z');

export function writeDiagnosis(
  judgement: Judgement,
  facts: Facts,
  alert: Alert | null,
  alertEvidence: readonly string[],
): WrittenDiagnosis {
  const { verdict, cause } = judgement;
  return {
    verdict,
    ...(cause !== null && cause.kind !== 'healthy' && { culprit: toBlame(cause)!.id }),
    root_cause: markComputed(toRootCause(judgement, facts)),
    root_cause_category: judgement.category,
    detail: formatDetail(judgement),
    causal_chain: createChain(judgement, facts, alert, alertEvidence).map(markComputed),
    claims: verdict === 'unrelated' ? [] : toPatternClaims(facts),
    remediation_steps: [...listRemedies(judgement)],
  };
}

/** A claim without fields: the program computed it from the cited records. */
const markComputed = (claim: IncidentClaim): IncidentClaim =>
  claim.fields === undefined && claim.evidence.length > 0 ? { ...claim, verdict: 'computed' } : claim;

function toRootCause(judgement: Judgement, facts: Facts): IncidentClaim {
  const { verdict, cause, movements, firstFailing, subject } = judgement;
  if (cause !== null) return toCauseClaim(cause);
  if (verdict === 'unrelated')
    return {
      text: `Nothing that was looked at knows what the alert is about${subject.searchedNames.length === 0 ? '' : `: looked for ${subject.searchedNames.slice(0, 6).join(', ')}`}.`,
      evidence: [],
    };
  const [first] = movements;
  return first === undefined
    ? toShortHistoryCause(judgement, facts)
    : {
        text: `The cause was not found; ${formatMovement(first)} first${firstFailing === null ? '' : `, and ${firstFailing} is the first service to fail`}.`,
        evidence: [first.evidence],
      };
}

/** Maximum series listed whose history is too short. */
const maxShortSeries = 3;

/** The root cause if no series is known to have changed: names those whose history is too short to tell. */
function toShortHistoryCause({ reach }: Judgement, facts: Facts): IncidentClaim {
  const { series: seen } = filterWithinReach(facts, reach);
  const untold = seen.flatMap((series) => {
    const jump = findJumpWithoutHistory(series);
    return jump === null ? [] : [{ ...jump, name: series.name, evidence: series.evidence }];
  });
  if (untold.length === 0)
    return {
      text: `No series ${seen.length === 0 ? 'of what is alerted was seen' : 'connected with the alert left its course'}, and no change explains it: the cause was not found.`,
      evidence: [],
    };
  const named = untold.slice(0, maxShortSeries);
  const steps = named.map(
    ({ name, knownMs, before, after }) =>
      `${name} (${formatDuration(knownMs)}, then ${formatShortNumber(before)} to ${formatShortNumber(after)})`,
  );
  return {
    text: `The cause was not found: no change explains the alert, and the history of ${untold.length === 1 ? 'a series that jumped' : `${untold.length} series that jumped`} is too short to tell what is usual: ${steps.join(', ')}${untold.length > named.length ? ` and ${untold.length - named.length} more` : ''}.`,
    evidence: [...new Set(named.map(({ evidence }) => evidence))],
  };
}

const formatDuration = (ms: number): string =>
  ms < 180_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} min`;

function toCauseClaim(cause: Cause): IncidentClaim {
  switch (cause.kind) {
    case 'change':
      return {
        text: formatChange(cause.of),
        evidence: cause.of.evidence,
        ...toChangeFields(cause.of),
      };
    case 'outside':
      return { text: `No change is to blame: ${cause.of.why}.`, evidence: cause.of.evidence };
    case 'state':
      return { text: formatState(cause.of), evidence: listStateEvidence(cause.of) };
    case 'healthy':
      return { text: `Nothing is out of order any more: ${cause.of.why}.`, evidence: cause.of.evidence };
  }
}

const formatState = ({ states: [first], age }: StateCause): string =>
  `No change is to blame: messages tell of ${first!.condition.name}: ${quoteText(first!.quote)}${age === 'unknown' ? '; no record tells since when' : ''}.`;

const listStateEvidence = ({ states }: StateCause): readonly string[] =>
  [...new Set(states.map(({ evidence }) => evidence))].slice(0, 3);

/** Describes the change in its own words. */
function formatChange({ kind, id, title, mechanism, service, at, how }: SuspectChange): string {
  if (kind === 'flag') return `The flag ${id} was switched (${title}) at ${formatTime(at)}.`;
  if (kind === 'config')
    return `Settings${service === null ? '' : ` of ${service}`} were changed by ${id} (${title}) at ${formatTime(at)}.`;
  const went =
    how === 'named' || how === 'dependency' || how === 'included'
      ? ` was deployed${service === null ? '' : ` to ${service}`} at ${formatTime(at)}`
      : ` was written at ${formatTime(at)}`;
  return `Commit ${id.slice(0, 12)}, ${JSON.stringify(title)},${went}${mechanism === null ? '' : `: ${mechanism}`}.`;
}

/** A deploy that names a different commit is no evidence for this one. */
function toChangeFields({ kind, id, service, at, how }: SuspectChange): { readonly fields?: IncidentFields } {
  const time = formatTime(at);
  if (kind !== 'commit') return { fields: { verb: 'switched', object: id, time } };
  if (how !== 'named') return {};
  return { fields: { verb: 'deployed', object: id, ...(service !== null && { actor: service }), time } };
}

/** The cause in a few words. */
function formatDetail({ cause, verdict }: Judgement): string {
  switch (cause?.kind) {
    case undefined:
      return verdict;
    case 'change':
      return cause.of.kind === 'commit' ? (cause.of.category ?? 'a change of code') : 'a flag or a setting';
    case 'outside':
      return cause.of.kind === 'traffic'
        ? 'demand beyond capacity'
        : cause.of.kind === 'upstream'
          ? 'outage of a provider'
          : 'a dependency that is gone';
    case 'state':
      return cause.of.condition.name;
    case 'healthy':
      return 'it is over';
  }
}

/** The change of a metric, without its time. */
export const formatCourse = ({ service, metric, direction, before, after }: Movement): string =>
  `${metric}${service === null ? '' : ` of ${service}`} went ${direction} from ${formatShortNumber(before)} to ${formatShortNumber(after)}`;
const formatMovement = (movement: Movement): string =>
  `${formatCourse(movement)} since ${formatTime(movement.onset)}`;

const toMovementFields = ({
  service,
  metric,
  direction,
  before,
  after,
  onset,
}: Movement): IncidentFields => ({
  verb: direction === 'up' ? 'rose' : 'fell',
  series: metric,
  ...(service !== null && { actor: service }),
  from: formatShortNumber(before),
  to: formatShortNumber(after),
  time: formatTime(onset),
});

function createChain(
  { cause, movements, firstFailing, verdict }: Judgement,
  facts: Facts,
  alert: Alert | null,
  alertEvidence: readonly string[],
): IncidentClaim[] {
  const chain: IncidentClaim[] = [];
  if (cause !== null)
    chain.push(
      cause.kind === 'outside'
        ? { text: `${cause.of.why}.`, evidence: cause.of.evidence }
        : toCauseClaim(cause),
    );
  const toAlertClaims = (): IncidentClaim[] =>
    alert === null
      ? []
      : [
          {
            text: `The alert: ${alert.name}${alert.service === null ? '' : ` of ${alert.service}`}.`,
            evidence: alertEvidence,
          },
        ];
  if (verdict === 'unrelated') return toAlertClaims();
  const failing = movements.find((movement) => movement.service === firstFailing && isSymptom(movement));
  const steps = [
    ...new Set([...movements.slice(0, 1), ...(failing === undefined ? [] : [failing]), ...movements]),
  ]
    .slice(0, maxMovements)
    .toSorted((a, b) => a.onset - b.onset);
  for (const [n, movement] of steps.entries()) {
    // A service that only waits or works more has not failed.
    const lead =
      movement === failing ? `${firstFailing} is the first service to fail: ` : n === 0 ? 'First, ' : 'Then ';
    chain.push({
      text: `${lead}${formatMovement(movement)}.`,
      evidence: [movement.evidence],
      fields: toMovementFields(movement),
    });
  }
  const [message] = listWorsePatterns(facts)
    .filter(({ service }) => service === firstFailing)
    .concat(listWorsePatterns(facts));
  if (message !== undefined) chain.push(toPatternClaim(message));
  return [...chain, ...toAlertClaims()];
}

const listWorsePatterns = (facts: Facts): readonly Facts['patterns'][number][] =>
  withoutPlanted(facts)
    .patterns.filter((logPattern) => isWorse(logPattern) && isBad(logPattern.level))
    .toSorted((a, b) => b.count - (b.baseline ?? 0) - (a.count - (a.baseline ?? 0)));

const toPatternClaim = ({
  template,
  service,
  count,
  evidence,
}: Facts['patterns'][number]): IncidentClaim => ({
  text: `${service === null ? 'The logs' : `The logs of ${service}`} hold ${count} times \`${template.replaceAll('`', "'").slice(0, 200)}\`.`,
  evidence: [evidence],
  fields: {
    verb: 'logged',
    object: template.slice(0, 200),
    ...(service !== null && { actor: service }),
    to: String(count),
  },
});

const toPatternClaims = (facts: Facts): IncidentClaim[] =>
  listWorsePatterns(facts).slice(0, 6).map(toPatternClaim);

function listRemedies({ cause, blamed, firstFailing, verdict }: Judgement): readonly string[] {
  // If no system knows the subject of the alert, changes elsewhere are not connected with it.
  if (verdict === 'unrelated')
    return [
      'Look at what sends the alert, and give it a name that the systems know, or the systems that know it.',
    ];
  if (cause === null) {
    const [likeliest] = blamed.filter(
      ({ before, how, score, ties }) =>
        before && how !== 'undelivered' && score >= minScoreForRemedy && ties.length > 0,
    );
    const unread = blamed.filter(({ diffRead, before }) => !diffRead && before).slice(0, 3);
    return [
      ...(likeliest === undefined
        ? []
        : [
            `Look first at ${likeliest.kind} ${likeliest.kind === 'commit' ? likeliest.id.slice(0, 12) : likeliest.id} (${JSON.stringify(likeliest.title)}, in effect since ${formatTime(likeliest.at)}): the likeliest of the changes, and too little speaks for it to blame it.`,
          ]),
      ...(unread.length > 0
        ? [`Read the diffs that were not given: ${unread.map(({ id }) => id.slice(0, 12)).join(', ')}.`]
        : []),
      firstFailing === null
        ? 'Look at what is alerted itself: nothing that was looked at shows what failed first.'
        : `Look at what ${firstFailing} waited for when it began.`,
    ];
  }
  switch (cause.kind) {
    case 'change':
      return listChangeRemedies(cause.of, verdict);
    case 'state':
      return [cause.of.condition.remedy, 'Do not roll back: no change is tied to it.'].filter(
        (step) => step !== '',
      );
    case 'healthy':
      return ['Nothing is to be done now; look whether the alert should wait longer before it fires.'];
    case 'outside':
      return {
        traffic: [
          'Add capacity where requests come in, and shed what is not needed.',
          'Do not roll back: no change explains it.',
        ],
        upstream: [
          `Fail over from ${cause.of.id}, or queue what can wait.`,
          `Follow the state page of ${cause.of.id} and tell its support.`,
        ],
        capacity: [
          `Bring ${cause.of.id} back; look why it went before restarting what waits for it.`,
          'Do not roll back: no change explains it.',
        ],
      }[cause.of.kind];
  }
}

function listChangeRemedies(cause: SuspectChange, verdict: Judgement['verdict']): readonly string[] {
  if (cause.kind === 'config') return [`Set back what ${cause.id} changed (${cause.title}).`];
  if (verdict !== 'code_change') return [`Switch ${cause.id} back (${cause.title}).`];
  return [
    ...(cause.category === 'schema'
      ? [
          'Look first what it did to the tables: rolling a deploy back does not undo that, so make again what it dropped.',
        ]
      : []),
    `Roll ${cause.service ?? 'what was deployed'} back to before ${cause.id.slice(0, 12)} (in effect since ${formatTime(cause.at)}).`,
    `Revert ${cause.id.slice(0, 12)} before the next deploy.`,
  ];
}
