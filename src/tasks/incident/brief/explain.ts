/**
 * Separates causes from symptoms: a candidate that another one explains is not blamed. A candidate explains another if
 * it came first, is connected with it, and is of a kind that can cause it.
 */
import type { Outside } from './outside/outside-cause.ts';
import { certificate, wraparound } from './state/conditions.ts';
import { isPlaceOnly, isUnlikeOthers } from './state/first-mover.ts';
import type { StateCause } from './state/states.ts';
import type { SuspectChange } from './suspects.ts';

export type Candidate =
  | { readonly kind: 'change'; readonly of: SuspectChange; readonly support: number }
  | { readonly kind: 'outside'; readonly of: Outside; readonly support: number }
  | { readonly kind: 'state'; readonly of: StateCause; readonly support: number };

/** Tolerance for clocks that differ and for sampling intervals, in milliseconds. */
const slackMs = 2 * 60_000;

/** A change with ties of at least this total strength counts as one that touched the service. */
const minTiesOfTouch = 0.5;

/**
 * Whether more requests can cause the state: they can use up connections, but fill no disk and expire no certificate.
 */
const canComeFromLoad = ({ condition, category }: StateCause): boolean =>
  condition.role === 'effect' ||
  (/^(resource_exhaustion|connection_exhaustion|dual_resource_exhaustion)$/.test(category) &&
    condition.resource !== 'storage' &&
    !/lock|number/.test(condition.name));

/** Whether the state may be that of a service which merely waits for another one that does not respond. */
const isOnlyWaiting = ({ condition }: StateCause): boolean =>
  condition.role === 'effect' ||
  /connections|workers|cut off|heartbeat|limit of what|processor/.test(condition.name);

const manyMessages = 10;

export const findBegin = ({ states }: StateCause): number | null => {
  const times = states.flatMap(({ first }) => (first === null ? [] : [first])).toSorted((a, b) => a - b);
  // Some messages also occur on ordinary days: if there are many, the first few do not mark the beginning.
  return times[times.length >= manyMessages ? Math.floor(times.length / 10) : 0] ?? null;
};

export function explains(cause: Candidate, other: Candidate): boolean {
  if (cause === other) return false;
  if (cause.kind === 'change') return changeExplains(cause.of, other);
  if (cause.kind === 'outside' && other.kind === 'state')
    return (
      (cause.of.kind === 'traffic' ? canComeFromLoad(other.of) : isOnlyWaiting(other.of)) &&
      isFirst(cause.of, other.of)
    );
  // When many more users reach a limit, the last change to that limit is connected with the problem, but not its cause.
  if (cause.kind === 'outside' && other.kind === 'change')
    return (
      cause.of.isPeople === true &&
      other.of.ties.every(({ kind }) => kind === 'setting' || kind === 'edge' || kind === 'state')
    );
  // One replica that behaves unlike the others is the cause; the traffic is not.
  if (cause.kind === 'state' && other.kind === 'outside' && other.of.kind === 'traffic')
    return isUnlikeOthers(cause.of);
  if (cause.kind === 'state' && other.kind === 'outside')
    return cause.of.condition.role === 'root' && !isOnlyWaiting(cause.of);
  if (cause.kind === 'state' && other.kind === 'state') return stateExplains(cause.of, other.of);
  // A certificate expires by itself: a change that did not touch it is not to blame.
  if (cause.kind === 'state' && other.kind === 'change')
    return cause.of.condition === certificate && !touchesState(other.of, cause.of);
  return false;
}

/**
 * Whether time, long transactions, stored data or a counter cause the state: only a change that touches it explains it.
 */
const arisesByItself = ({ condition, category }: StateCause): boolean =>
  condition === certificate ||
  condition === wraparound ||
  category === 'replication_lag' ||
  category === 'storage_exhaustion';

const touchesState = ({ ties }: SuspectChange, { states }: StateCause): boolean =>
  ties.some(
    ({ kind, to }) => kind === 'state' && states.some(({ condition }) => to.includes(condition.name)),
  );

/** Whether the ties name the service; a mere connection and a later failure do not show that the change caused it. */
const isNamedBy = (ties: SuspectChange['ties']): boolean =>
  ties.some(
    ({ kind, strength, showsBehaviour }) => showsBehaviour === true || (kind !== 'edge' && strength >= 0.3),
  );

const hasOnlyPlace = ({ states }: StateCause): boolean => states.every(isPlaceOnly);

function changeExplains(change: SuspectChange, other: Candidate): boolean {
  const { at, ties, tieStrength, kind: changeKind } = change;
  if (other.kind === 'change') return false;
  const isTied = tieStrength >= minTiesOfTouch;
  // A change here causes neither a fault that another party reports of its own server, nor a rise in users.
  if (other.kind === 'outside')
    return (
      isTied &&
      other.of.isPeople !== true &&
      other.of.isOwnFault !== true &&
      (other.of.since ?? at) >= at - slackMs
    );
  const began = findBegin(other.of);
  const earliest = other.of.builtUp === null ? began : Math.min(other.of.builtUp, began ?? other.of.builtUp);
  if (earliest !== null && earliest < at - slackMs) return false;
  if (
    !isNamedBy(ties) &&
    !hasOnlyPlace(other.of) &&
    other.of.condition.role === 'root' &&
    other.of.condition.resource !== 'cpu'
  )
    return touchesState(change, other.of);
  // The settings that cause this state are documented. A change to any other setting, tied only by place and time, is
  // not its cause.
  const isAnotherSetting =
    changeKind === 'config' &&
    ties.every(({ kind }) => kind === 'edge') &&
    other.kind === 'state' &&
    other.of.condition.settings !== undefined;
  if (arisesByItself(other.of)) return touchesState(change, other.of);
  return touchesState(change, other.of) || (isTied && !isAnotherSetting);
}

function stateExplains(cause: StateCause, other: StateCause): boolean {
  const [causeBegin, otherBegin] = [findBegin(cause), findBegin(other)];
  const isInOrder = causeBegin === null || otherBegin === null || causeBegin <= otherBegin + slackMs;
  return isInOrder && cause.condition.bringsAbout?.test(other.condition.name) === true;
}

function isFirst({ since }: Outside, state: StateCause): boolean {
  const began = findBegin(state);
  return since === undefined || began === null || since <= began + slackMs;
}

/** The causes that no other cause explains; if they all explain one another, all of them. */
export function findFirstCauses(all: readonly Candidate[]): readonly Candidate[] {
  const informative = all.filter((candidate) => candidate.kind !== 'state' || !isPlaceOnly(candidate.of));
  if (informative.length === 0) return all;
  const firstCauses = informative.filter(
    (candidate) => !informative.some((other) => explains(other, candidate) && !explains(candidate, other)),
  );
  return (firstCauses.length > 0 ? firstCauses : informative).toSorted((a, b) => b.support - a.support);
}
