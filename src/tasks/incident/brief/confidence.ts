/**
 * How likely the blame is right: what is stated for it, weighed by a model that was fitted on incidents (docs/incidents.md
 * says on which, and by what). How many words agree does not count.
 */
import type { Cause, Known } from './choose.ts';
import { candidatesOf } from './choose.ts';
import { firstCauses } from './explain.ts';
import { isOdd, isPlaceOnly } from './state/first-mover.ts';
import type { StateCause } from './state/states.ts';
import type { Blamed } from './suspects.ts';

/** Each ground with its weight. All are 0 where they do not apply. */
const weights = {
  state: -0.48,
  outside: 0.1,
  healthy: 0.96,
  /** Of a change: how rarely its strongest tie occurs by chance, above or below the usual. */
  tie: 0.43,
  /** Of a change: the strongest tie of another kind. */
  secondTie: 0.57,
  /** It took effect within minutes before the trouble. */
  near: 1.39,
  /** No other change took effect between it and the trouble. */
  last: 0.86,
  frame: 0.85,
  /** A single tie, and none that is rare. */
  thin: -1.13,
  /** Another change is as likely. */
  otherChange: -0.87,
  /** A state that is both told and measured. */
  twice: 0.54,
  /** Only the place is known, or the state merely repeats the alert. */
  vague: -0.77,
  /** Something else that nothing explains is there beside a state. */
  otherCause: -0.45,
  /** Several records tell of the state. */
  plain: 0.44,
  /** Something was changed in the half hour before, though a state is blamed. */
  changed: -0.44,
  /** No record tells since when the state is there. Set by hand: too few incidents have one. */
  undated: -0.4,
  /** How plainly somebody else, or the demand, is told of. */
  told: 0.61,
} as const;
const bias = 0.1;

export type Grounds = Readonly<Record<keyof typeof weights, number>>;

const none = Object.freeze(
  Object.fromEntries(Object.keys(weights).map((name) => [name, 0])),
) as unknown as Grounds;

const minute = 60_000;
/** Harm that shows later than this after a change has met other changes. */
const soon = 5 * minute;
const lately = 30 * minute;
/** A tie of this strength is often there by chance. */
const ordinary = 0.55;
const usual = 0.6;

export function groundsOf(cause: Cause, known: Known): Grounds {
  switch (cause.kind) {
    case 'healthy':
      return { ...none, healthy: 1 };
    case 'outside':
      return { ...none, outside: 1, told: cause.of.score };
    case 'change':
      return { ...none, ...groundsOfChange(cause.of, known) };
    case 'state':
      return { ...none, state: 1, ...groundsOfState(cause.of, known) };
  }
}

function groundsOfChange(change: Blamed, { blamed, onset }: Known): Partial<Grounds> {
  const { ties, at, id, score } = change;
  const [first] = ties;
  const second = ties.find(({ kind }) => kind !== first?.kind)?.strength ?? 0;
  const strength = first?.strength ?? 0;
  const others = blamed.filter((one) => one.id !== id && one.before && one.diffRead);
  const [rival] = others.filter(({ how }) => how !== 'undelivered').toSorted((a, b) => b.score - a.score);
  return {
    tie: strength - usual,
    secondTie: Math.min(second, 0.8),
    near: Number(onset - at < soon),
    last: Number(!others.some((one) => one.how !== 'undelivered' && one.at > at)),
    frame: Number(first?.kind === 'frame'),
    thin: Number(strength <= ordinary && second < 0.3),
    otherChange: rival === undefined ? 0 : Math.min(1, rival.score / Math.max(0.05, score)),
  };
}

function groundsOfState(state: StateCause, known: Known): Partial<Grounds> {
  const { states, blamed, onset, alert } = known;
  const alike = states.filter(({ condition }) => condition.category === state.category);
  const first = firstCauses(candidatesOf(known));
  const own = first.find(({ of }) => of === state)?.support ?? 0.1;
  const rival = first.find(({ of }) => of !== state)?.support ?? 0;
  const [one] = state.states;
  const isVague =
    state.states.some((each) => isPlaceOnly(each) || isOdd(each)) ||
    (state.states.length === 1 && alert.metric !== null && one!.said.startsWith(alert.metric));
  return {
    twice: alike.some(({ isNow }) => isNow) && alike.some(({ isNow }) => !isNow) ? 1 : 0.5,
    vague: Number(isVague),
    otherCause: Math.min(1, rival / Math.max(0.1, own)),
    plain: Number(state.score >= 0.75),
    changed: Number(
      blamed.some(
        ({ before, diffRead, how, at }) => before && diffRead && how !== 'undelivered' && onset - at < lately,
      ),
    ),
    undated: Number(state.age === 'unknown'),
  };
}

/** The chain is missing: whatever it is, it is not shown to have to do with it. */
const withoutChain = 0.3;
/** Only its place, or names that innocent changes hold, too: more likely than not somebody else. */
const withoutName = 0.45;

function maxOf(cause: Cause, { reach }: Known): number {
  switch (cause.kind) {
    case 'healthy':
      return 0.95;
    case 'outside':
      return reach.of(cause.of.service ?? null) === 0 ? withoutChain : 0.95;
    case 'state': {
      const { service, object } = cause.of;
      return Math.max(reach.of(service), reach.of(object.split('/').at(-1)!)) === 0 ? withoutChain : 0.95;
    }
    case 'change':
      return cause.of.ties.every(
        ({ kind, isShared, isOfWork }) => (kind === 'edge' && isOfWork !== true) || isShared === true,
      )
        ? withoutName
        : 0.95;
  }
}

export function confidenceOf(cause: Cause, known: Known): { confidence: number; grounds: Grounds } {
  const grounds = groundsOf(cause, known);
  const sum = (Object.keys(weights) as (keyof Grounds)[]).reduce(
    (total, name) => total + grounds[name] * weights[name],
    bias,
  );
  const likely = Math.min(maxOf(cause, known), Math.max(0.05, 1 / (1 + Math.exp(-sum))));
  return { grounds, confidence: Math.round(likely * 100) / 100 };
}
