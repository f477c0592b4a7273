/** Decides on the verdict: the possible causes that no other cause explains; if there is none, whether all is well. */
import type { IncidentVerdict } from '../../../core/index.ts';
import { type Candidate, findFirstCauses } from './explain.ts';
import type { Facts } from './facts.ts';
import {
  type AlertMetric,
  findFlapping,
  findRecovered,
  findReturned,
  findSameAsBefore,
  type Healthy,
  hasAffectedUsers,
  hasPassed,
  isOver,
} from './healthy.ts';
import type { Movement } from './movement.ts';
import type { Outside } from './outside/outside-cause.ts';
import type { Reach } from './reach/reach.ts';
import type { StateSeen } from './state/condition.ts';
import type { StateCause } from './state/states.ts';
import { isTroubled, type Subject } from './subject.ts';
import type { SuspectChange } from './suspects.ts';
import { findUnharmed } from './unharmed.ts';

export type Cause =
  | { readonly kind: 'change'; readonly of: SuspectChange }
  | { readonly kind: 'outside'; readonly of: Outside }
  | { readonly kind: 'state'; readonly of: StateCause }
  | { readonly kind: 'healthy'; readonly of: Healthy };

/** The facts within reach of the alert. */
export interface CaseFacts {
  readonly facts: Facts;
  readonly subject: Subject;
  readonly reach: Reach;
  readonly movements: readonly Movement[];
  readonly states: readonly StateSeen[];
  readonly blamed: readonly SuspectChange[];
  readonly outside: readonly Outside[];
  readonly causes: readonly StateCause[];
  readonly onset: number;
  readonly alert: AlertMetric & { readonly at: number };
}

export interface CauseDecision {
  readonly verdict: Exclude<IncidentVerdict, 'noise' | 'resolved' | 'duplicate'>;
  /** The cause that the verdict blames; null if inconclusive or unrelated. */
  readonly cause: Cause | null;
}

/** The minimum total strength of the ties of a change that is blamed. */
const minTieStrength = 0.38;
/** A change must score this many times more than the next one; otherwise the blame would be a guess. */
const minLead = 1.15;
/** The minimum score of an outside cause that is blamed. */
const minOutsideScore = 0.45;
/** The minimum score of a state that is blamed. */
const minStateScore = 0.5;

const withoutCause = (verdict: 'unrelated' | 'inconclusive'): CauseDecision => ({ verdict, cause: null });

export function decideCause(known: CaseFacts, allFacts: Facts): CauseDecision {
  const { facts, subject, movements, states, alert } = known;
  const { series, lines, patterns, spans, tables, changes } = allFacts;
  const isEmpty = series.length + lines.length + patterns.length + spans.length + tables.length === 0;
  if (subject.names.size === 0)
    return withoutCause(isEmpty && changes.length === 0 ? 'inconclusive' : 'unrelated');
  const toDecision = (healthy: Healthy | null): CauseDecision | null =>
    healthy === null ? null : { verdict: 'healthy', cause: { kind: 'healthy', of: healthy } };
  const overBefore = findRecovered(facts, movements, states);
  const asBefore = toDecision(findSameAsBefore(facts, movements, subject.names, alert));
  if (asBefore !== null) return asBefore;
  const cause = isTroubled(subject, facts, movements, states) ? findCause(known) : null;
  if (cause !== null && !isHarmless(cause, known, overBefore)) return { verdict: toVerdict(cause), cause };
  const { names } = subject;
  return (
    toDecision(overBefore) ??
    (cause?.kind === 'state' ? toDecision(toPastHealthy(cause.of)) : null) ??
    toDecision(findReturned(facts, movements, states, names, alert)) ??
    toDecision(findFlapping(facts, movements, names, alert, alert.at)) ??
    toDecision(findUnharmed({ facts, movements, states, names, alert })) ??
    withoutCause('inconclusive')
  );
}

/** Whether the problem is over and affected no users, so that the found cause is not blamed. */
function isHarmless(
  cause: Cause,
  { facts, movements, states, subject, alert }: CaseFacts,
  recovered: Healthy | null,
): boolean {
  if (cause.kind === 'change') {
    const returned = findReturned(facts, movements, states, subject.names, alert);
    return (
      (recovered !== null && cause.of.tieStrength < 0.7) || hasPassed(facts, subject.names, alert, returned)
    );
  }
  if (cause.kind === 'outside') return recovered !== null;
  if (cause.kind === 'healthy') return true;
  const isPast = recovered !== null || isOver(cause.of.states, facts, movements);
  return isPast && !hasAffectedUsers(facts, subject.around);
}

const toPastHealthy = ({ object, condition, states }: StateCause): Healthy => ({
  why: `${condition.name} of ${object} is over and did no harm (${states[0]!.quote})`,
  object,
  evidence: [...new Set(states.map(({ evidence }) => evidence))].slice(0, 3),
});

function toVerdict({ kind, of }: Cause): CauseDecision['verdict'] {
  switch (kind) {
    case 'change':
      return of.kind === 'commit' && !isSettingsChange(of) ? 'code_change' : 'config_change';
    case 'outside':
      return 'no_code_change';
    case 'state':
      return 'state';
    case 'healthy':
      return 'healthy';
  }
}

/** Whether only settings were changed: files of settings, or configuration of machines. */
export const isSettingsChange = ({ paths }: Pick<SuspectChange, 'paths'>): boolean =>
  paths.length > 0 &&
  paths.every((path) =>
    /\.(ya?ml|json|toml|ini|conf|cnf|cfg|properties|env|tf|tfvars|hcl|service|rules)$|(^|\/)(config|deploy|charts|helm|k8s|manifests|infra|terraform|ansible|chef|puppet|salt|cookbooks|playbooks)\//i.test(
      path,
    ),
  );

/**
 * Changes that can be blamed: their diff was read, they took effect before the onset, and something ties them to the
 * alert.
 */
export const listBlameable = (blamed: readonly SuspectChange[]): readonly SuspectChange[] =>
  blamed
    .filter(
      ({ before, diffRead, how, tieStrength }) =>
        before && diffRead && how !== 'undelivered' && tieStrength >= minTieStrength,
    )
    .toSorted((a, b) => rankChange(b) - rankChange(a));

/** The weight of a change that only place and time tie: everything delivered there and then has such ties. */
const placeOnlyWeight = 0.5;
const rankChange = (change: SuspectChange): number =>
  change.score * (hasNameTie(change) ? 1 : placeOnlyWeight);

const hasNameTie = ({ ties }: SuspectChange): boolean =>
  ties.some(
    ({ kind, strength, showsBehaviour }) => (kind !== 'edge' || showsBehaviour === true) && strength >= 0.5,
  );

export function listCandidates({ blamed, outside, causes, reach }: CaseFacts): readonly Candidate[] {
  const blameable = listBlameable(blamed);
  const [first] = blameable;
  // A change whose names occur in the symptoms does not compete with one that is tied only by place.
  const second = blameable
    .slice(1)
    .find((suspect) => first === undefined || !hasNameTie(first) || hasNameTie(suspect));
  const isClear = first !== undefined && first.score >= minLead * (second?.score ?? 0);
  return [
    ...(isClear ? [{ kind: 'change' as const, of: first, support: first.score }] : []),
    ...outside
      .filter(({ score }) => score >= minOutsideScore)
      .map((cause) => ({ kind: 'outside' as const, of: cause, support: cause.score })),
    ...causes
      .filter(
        ({ condition, score, age }) => condition.role === 'root' && score >= minStateScore && age !== 'after',
      )
      .map((cause) => ({
        kind: 'state' as const,
        of: cause,
        support: cause.score * (0.7 + 0.3 * reach.of(cause.service)),
      })),
  ];
}

function findCause(known: CaseFacts): Cause | null {
  const [first] = findFirstCauses(listCandidates(known));
  return first === undefined ? null : ({ kind: first.kind, of: first.of } as Cause);
}
