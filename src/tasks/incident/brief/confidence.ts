/**
 * The probability that the blame is right: a logistic model over its grounds, fitted on incidents of others
 * (first-looks.contract.ts; docs/incidents.md has the method). The number of matching words does not count.
 */
import type { CaseFacts, Cause } from './choose.ts';
import { listCandidates } from './choose.ts';
import { findFirstCauses } from './explain.ts';
import { isPlaceOnly, isUnlikeOthers } from './state/first-mover.ts';
import type { StateCause } from './state/states.ts';
import type { SuspectChange } from './suspects.ts';

/** The weight of each ground. A ground that does not apply is 0. */
export const weights = {
  state: -0.56,
  outside: 0.06,
  /** For a change: the strength of its strongest tie, minus `usualTie`. */
  tie: 0.32,
  /** For a change: the strength of its strongest tie of another kind. */
  secondTie: 0.58,
  /** It took effect a few minutes before the problem. */
  near: 1.58,
  /** No other change took effect between it and the problem. */
  last: 0.96,
  frame: 0.91,
  /** It has a single tie, and that one is not rare. */
  thin: -0.92,
  /** Another change is equally likely. */
  otherChange: -0.57,
  /** A state is both reported by a message and measured. */
  twice: 0.5,
  /** Only the place is known, or the state merely repeats the alert. */
  vague: -0.85,
  /** Besides a state, there is another cause that nothing explains. */
  otherCause: -0.43,
  /** Several records report the state. */
  plain: 0.47,
  /** Something was changed in the half hour before, although a state is blamed. */
  changed: -0.52,
  /** No record says when the state began. Too few incidents have such a state to fit a weight. */
  undated: -0.4,
  /** How clearly records report an outside cause, or a growing demand. */
  reported: 0.6,
} as const;
export const bias = 0.04;

export type Grounds = Readonly<Record<keyof typeof weights, number>>;

const noGrounds = Object.freeze(
  Object.fromEntries(Object.keys(weights).map((name) => [name, 0])),
) as unknown as Grounds;

const minute = 60_000;
/** Damage that appears later than this after a change probably has another cause. */
const soonMs = 5 * minute;
const recentMs = 30 * minute;
/** A tie of this strength often occurs by chance. */
const ordinaryTie = 0.55;
const usualTie = 0.6;

/** A cause other than `healthy`: a change, a state or something outside. */
export type BlamedCause = Exclude<Cause, { readonly kind: 'healthy' }>;

export function collectGrounds(cause: BlamedCause, known: CaseFacts): Grounds {
  switch (cause.kind) {
    case 'outside':
      return { ...noGrounds, outside: 1, reported: cause.of.score };
    case 'change':
      return { ...noGrounds, ...collectChangeGrounds(cause.of, known) };
    case 'state':
      return { ...noGrounds, state: 1, ...collectStateGrounds(cause.of, known) };
  }
}

function collectChangeGrounds(change: SuspectChange, { blamed, onset }: CaseFacts): Partial<Grounds> {
  const { ties, at, id, score } = change;
  const [firstTie] = ties;
  const secondStrength = ties.find(({ kind }) => kind !== firstTie?.kind)?.strength ?? 0;
  const strength = firstTie?.strength ?? 0;
  const others = blamed.filter((suspect) => suspect.id !== id && suspect.before && suspect.diffRead);
  const [rival] = others.filter(({ how }) => how !== 'undelivered').toSorted((a, b) => b.score - a.score);
  return {
    tie: strength - usualTie,
    secondTie: Math.min(secondStrength, 0.8),
    near: Number(onset - at < soonMs),
    last: Number(!others.some((other) => other.how !== 'undelivered' && other.at > at)),
    frame: Number(firstTie?.kind === 'frame'),
    thin: Number(strength <= ordinaryTie && secondStrength < 0.3),
    otherChange: rival === undefined ? 0 : Math.min(1, rival.score / Math.max(0.05, score)),
  };
}

function collectStateGrounds(state: StateCause, known: CaseFacts): Partial<Grounds> {
  const { states, blamed, onset, alert } = known;
  const sameCategory = states.filter(({ condition }) => condition.category === state.category);
  const firstCauses = findFirstCauses(listCandidates(known));
  const ownSupport = firstCauses.find(({ of }) => of === state)?.support ?? 0.1;
  const rival = firstCauses.find(({ of }) => of !== state)?.support ?? 0;
  const [firstState] = state.states;
  const isVague =
    state.states.some((each) => isPlaceOnly(each) || isUnlikeOthers(each)) ||
    (state.states.length === 1 && alert.metric !== null && firstState!.quote.startsWith(alert.metric));
  return {
    twice:
      sameCategory.some(({ isCurrent }) => isCurrent) && sameCategory.some(({ isCurrent }) => !isCurrent)
        ? 1
        : 0.5,
    vague: Number(isVague),
    otherCause: Math.min(1, rival / Math.max(0.1, ownSupport)),
    plain: Number(state.score >= 0.75),
    changed: Number(
      blamed.some(
        ({ before, diffRead, how, at }) =>
          before && diffRead && how !== 'undelivered' && onset - at < recentMs,
      ),
    ),
    undated: Number(state.age === 'unknown'),
  };
}

/** The maximum confidence if no chain of records connects the cause with the alert. */
const maxWithoutChain = 0.3;
/**
 * The maximum confidence if only the place, or names that changes without blame also contain, tie the change to the
 * alert: another cause is likely.
 */
const maxWithoutName = 0.45;

function maxConfidence(cause: BlamedCause, { reach }: CaseFacts): number {
  switch (cause.kind) {
    case 'outside':
      return reach.of(cause.of.service ?? null) === 0 ? maxWithoutChain : 0.95;
    case 'state': {
      const { service, object } = cause.of;
      return Math.max(reach.of(service), reach.of(object.split('/').at(-1)!)) === 0 ? maxWithoutChain : 0.95;
    }
    case 'change':
      return cause.of.ties.every(
        ({ kind, isShared, showsBehaviour }) =>
          (kind === 'edge' && showsBehaviour !== true) || isShared === true,
      )
        ? maxWithoutName
        : 0.95;
  }
}

export function computeConfidence(
  cause: BlamedCause,
  known: CaseFacts,
): { confidence: number; grounds: Grounds } {
  const grounds = collectGrounds(cause, known);
  const sum = (Object.keys(weights) as (keyof Grounds)[]).reduce(
    (total, name) => total + grounds[name] * weights[name],
    bias,
  );
  const probability = Math.min(maxConfidence(cause, known), Math.max(0.05, 1 / (1 + Math.exp(-sum))));
  return { grounds, confidence: Math.round(probability * 100) / 100 };
}
