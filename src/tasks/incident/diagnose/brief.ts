/** The diagnosis that the code writes by itself: what was seen, in words that its evidence holds. */
import { type IncidentClaim, shortNumber } from '../../../core/index.ts';
import type { Alert } from '../alert/alert.ts';
import type { Facts } from '../brief/facts.ts';
import type { Judgement } from '../brief/judge.ts';
import { isLimit, remedyOf } from '../brief/limits.ts';
import { isSymptom, type Movement } from '../brief/movement.ts';
import type { Outside } from '../brief/outside-cause.ts';
import type { Blamed } from '../brief/suspects.ts';
import { isBad, isWorse } from '../brief/symptoms.ts';
import type { WrittenDiagnosis } from './conclusion.ts';

/** A change that scores less than this is not worth a look of its own. */
const worthALook = 0.03;
/** Links of the chain that are movements of metrics. */
const mostMovements = 6;

const stamp = (at: number): string => new Date(at).toISOString().replace(/\.000Z$/, 'Z');

export function briefOf(
  judgement: Judgement,
  facts: Facts,
  alert: Alert | null,
  alertEvidence: readonly string[],
): WrittenDiagnosis {
  const { verdict, cause } = judgement;
  return {
    verdict,
    ...(cause !== null && { culprit: cause.id }),
    root_cause: rootCause(judgement),
    root_cause_category: categoryOf(judgement),
    causal_chain: chainOf(judgement, facts, alert, alertEvidence),
    claims: patternClaims(facts),
    remediation_steps: [...remedies(judgement)],
  };
}

const isBlamed = (cause: Blamed | Outside): cause is Blamed => 'title' in cause;

function rootCause({ cause, movements, firstFailing }: Judgement): IncidentClaim {
  if (cause === null) {
    const [first] = movements;
    return first === undefined
      ? {
          text: 'No series left its course and no change explains the alert: the cause was not found.',
          evidence: [],
        }
      : {
          text: `The cause was not found; ${movementText(first)} first${firstFailing === null ? '' : `, and ${firstFailing} is the first service to fail`}.`,
          evidence: [first.evidence],
        };
  }
  if (!isBlamed(cause)) return { text: `No change is to blame: ${cause.why}.`, evidence: cause.evidence };
  return { text: changeText(cause), evidence: cause.evidence };
}

/** In the words of the change itself. */
function changeText({ kind, id, title, mechanism, service, at, how }: Blamed): string {
  if (kind !== 'commit') return `The ${kind} ${id} was switched (${title}) at ${stamp(at)}.`;
  const went =
    how === 'named' || how === 'brought' || how === 'carried'
      ? ` was deployed${service === null ? '' : ` to ${service}`} at ${stamp(at)}`
      : ` was written at ${stamp(at)}`;
  return `Commit ${id.slice(0, 12)}, ${JSON.stringify(title)},${went}${mechanism === null ? '' : `: ${mechanism}`}.`;
}

function categoryOf({ cause, verdict }: Judgement): string {
  if (cause === null) return verdict;
  if (!isBlamed(cause))
    return {
      traffic: 'demand beyond capacity',
      upstream: 'outage of a provider',
      capacity: isLimit(cause.id) ? cause.id : 'a dependency that is gone',
    }[cause.kind];
  return cause.kind === 'commit' ? (cause.category ?? 'a change of code') : 'a flag or a setting';
}

/** Where its time stands already. */
export const courseText = ({ service, metric, direction, before, after }: Movement): string =>
  `${metric}${service === null ? '' : ` of ${service}`} went ${direction} from ${shortNumber(before)} to ${shortNumber(after)}`;
const movementText = (movement: Movement): string => `${courseText(movement)} since ${stamp(movement.onset)}`;

function chainOf(
  { cause, movements, firstFailing }: Judgement,
  facts: Facts,
  alert: Alert | null,
  alertEvidence: readonly string[],
): IncidentClaim[] {
  const chain: IncidentClaim[] = [];
  if (cause !== null)
    chain.push(
      isBlamed(cause)
        ? { text: changeText(cause), evidence: cause.evidence }
        : { text: `${cause.why}.`, evidence: cause.evidence },
    );
  const [first] = movements;
  const shown = new Set<Movement>();
  const tell = (movement: Movement | undefined, lead: string): void => {
    if (movement === undefined || shown.has(movement)) return;
    shown.add(movement);
    chain.push({ text: `${lead}${movementText(movement)}.`, evidence: [movement.evidence] });
  };
  tell(first, 'First, ');
  const failing = movements.find((one) => one.service === firstFailing && isSymptom(one));
  tell(failing, `${firstFailing} is the first service to fail: `);
  for (const movement of movements.slice(0, 8)) {
    if (shown.size >= mostMovements) break;
    tell(movement, 'Then ');
  }
  const [message] = worsePatterns(facts)
    .filter(({ service }) => service === firstFailing)
    .concat(worsePatterns(facts));
  if (message !== undefined) chain.push(patternClaim(message));
  if (alert !== null)
    chain.push({
      text: `The alert: ${alert.name}${alert.service === null ? '' : ` of ${alert.service}`}.`,
      evidence: alertEvidence,
    });
  return chain;
}

const worsePatterns = (facts: Facts): readonly Facts['patterns'][number][] =>
  facts.patterns
    .filter((one) => isWorse(one) && isBad(one.level))
    .toSorted((a, b) => b.count - (b.baseline ?? 0) - (a.count - (a.baseline ?? 0)));

const patternClaim = ({ template, service, count, evidence }: Facts['patterns'][number]): IncidentClaim => ({
  text: `${service === null ? 'The logs' : `The logs of ${service}`} hold ${count} times \`${template.replaceAll('`', "'").slice(0, 200)}\`.`,
  evidence: [evidence],
});

const patternClaims = (facts: Facts): IncidentClaim[] => worsePatterns(facts).slice(0, 6).map(patternClaim);

function remedies({ cause, blamed, firstFailing, verdict }: Judgement): readonly string[] {
  if (cause === null) {
    const [likeliest] = blamed.filter(
      ({ before, how, score }) => before && how !== 'undelivered' && score >= worthALook,
    );
    const unread = blamed.filter(({ diffRead, before }) => !diffRead && before).slice(0, 3);
    return [
      ...(likeliest === undefined
        ? []
        : [
            `Look first at ${likeliest.kind} ${likeliest.kind === 'commit' ? likeliest.id.slice(0, 12) : likeliest.id} (${JSON.stringify(likeliest.title)}, in effect since ${stamp(likeliest.at)}): the likeliest of the changes, and too little speaks for it to blame it.`,
          ]),
      ...(unread.length > 0
        ? [`Read the diffs that were not given: ${unread.map(({ id }) => id.slice(0, 12)).join(', ')}.`]
        : []),
      `Look at what ${firstFailing ?? 'the first service to fail'} waited for when it began.`,
    ];
  }
  if (isBlamed(cause)) {
    const where = cause.service ?? 'what was deployed';
    return verdict === 'code_change'
      ? [
          ...(cause.category === 'schema'
            ? [
                'Look first what it did to the tables: rolling a deploy back does not undo that, so make again what it dropped.',
              ]
            : []),
          `Roll ${where} back to before ${cause.id.slice(0, 12)} (in effect since ${stamp(cause.at)}).`,
          `Revert ${cause.id.slice(0, 12)} before the next deploy.`,
        ]
      : [`Switch ${cause.id} back (${cause.title}).`];
  }
  return {
    traffic: [
      'Add capacity where requests come in, and shed what is not needed.',
      'Do not roll back: no change explains it.',
    ],
    upstream: [
      `Fail over from ${cause.id}, or queue what can wait.`,
      `Follow the state page of ${cause.id} and tell its support.`,
    ],
    capacity: [
      remedyOf(cause.id) ?? `Bring ${cause.id} back; look why it went before restarting what waits for it.`,
      'Do not roll back: no change explains it.',
    ],
  }[cause.kind];
}
