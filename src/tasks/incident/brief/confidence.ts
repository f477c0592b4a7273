/**
 * How likely the blame is right: what is stated for it, weighed by a model that was fitted on incidents (docs/incidents.md
 * says on which, and by what). How many words agree does not count.
 */
import type { Cause, Known } from './choose.ts';
import { ableChanges, candidatesOf } from './choose.ts';
import { firstCauses } from './explain.ts';
import { isOdd, isPlaceOnly } from './state/first-mover.ts';
import { isAmong } from './subject.ts';

export const groundNames = [
  'change',
  'state',
  'outside',
  'healthy',
  /** How rarely such a link occurs by chance. For a state: whether two kinds of record report it. */
  'link',
  /** How strong the chain of records to the alert is. */
  'chain',
  /** The cause is known to have begun before the alert. */
  'order',
  /** There is another possible cause that nothing explains. */
  'rival',
  /** Only the place is known, or the cause merely repeats the alert. */
  'vague',
] as const;

export function groundsOf(cause: Cause, known: Known): readonly number[] {
  const kinds = ['change', 'state', 'outside', 'healthy'].map((kind) => Number(cause.kind === kind));
  if (cause.kind === 'healthy') return [...kinds, 0, 1, 0, 0, 0];
  const first = firstCauses(candidatesOf(known));
  const own = first.find(({ of }) => of === cause.of);
  const rival = first.filter(({ of }) => of !== cause.of)[0];
  return [
    ...kinds,
    linkOf(cause, known),
    chainOf(cause, known),
    orderOf(cause, known),
    Math.max(
      rival === undefined ? 0 : Math.min(1, rival.support / Math.max(0.1, own?.support ?? 0.1)),
      cause.kind === 'change' ? rivalChange(cause, known) : 0,
    ),
    Number(isVague(cause, known)),
  ];
}

function linkOf(cause: Exclude<Cause, { kind: 'healthy' }>, { states }: Known): number {
  switch (cause.kind) {
    case 'change':
      return Math.min(1, cause.of.tied);
    case 'outside':
      return cause.of.isOwnFault === true ? 1 : cause.of.score;
    case 'state': {
      const alike = states.filter(({ condition }) => condition.category === cause.of.category);
      const isMeasured = alike.some(({ isNow }) => isNow);
      const isTold = alike.some(({ isNow }) => !isNow);
      return isMeasured && isTold ? 1 : 0.5;
    }
  }
}

function chainOf(cause: Exclude<Cause, { kind: 'healthy' }>, { reach }: Known): number {
  // If it is unknown where a change was deployed, only its diff connects it.
  if (cause.kind === 'change')
    return Math.max(
      cause.of.service === null ? 0 : reach.of(cause.of.service),
      cause.of.ties[0]?.kind === 'edge' ? 0 : 0.7,
    );
  if (cause.kind === 'outside') return reach.of(cause.of.service ?? null);
  return Math.max(reach.of(cause.of.service), reach.of(cause.of.object.split('/').at(-1)!));
}

/** 1: before it; 0.5: not known; 0: after it. */
function orderOf(cause: Exclude<Cause, { kind: 'healthy' }>, { onset }: Known): number {
  if (cause.kind === 'state') return cause.of.age === 'unknown' ? 0.5 : 1;
  const at = cause.kind === 'change' ? cause.of.at : (cause.of.since ?? null);
  return at === null ? 0.5 : Number(at <= onset + 60_000);
}

function rivalChange({ of }: Extract<Cause, { kind: 'change' }>, { blamed }: Known): number {
  const [other] = ableChanges(blamed).filter(({ id }) => id !== of.id);
  return other === undefined ? 0 : Math.min(1, other.score / Math.max(0.05, of.score));
}

function isVague(cause: Exclude<Cause, { kind: 'healthy' }>, { alert, subject }: Known): boolean {
  if (cause.kind === 'change') return cause.of.ties.every(({ kind }) => kind === 'edge');
  if (cause.kind === 'outside') return cause.of.kind === 'traffic' && isAmong(subject.names, cause.of.id);
  const [one] = cause.of.states;
  return (
    cause.of.states.some((state) => isPlaceOnly(state) || isOdd(state)) ||
    (cause.of.states.length === 1 && alert.metric !== null && one!.said.startsWith(alert.metric))
  );
}

/** In the order of `groundNames`. */
const weights: readonly number[] = [0.15, -0.3, -0.64, 1.27, 2.07, 1.42, 0.07, -0.13, -1.02];
const bias = -2.16;

/** The chain is missing: whatever it is, it is not shown to have to do with it. */
const withoutChain = 0.3;

export function confidenceOf(grounds: readonly number[]): number {
  const sum = grounds.reduce((total, value, k) => total + value * weights[k]!, bias);
  const max = grounds[groundNames.indexOf('chain')] === 0 ? withoutChain : 0.95;
  return Math.round(Math.min(max, Math.max(0.05, 1 / (1 + Math.exp(-sum)))) * 100) / 100;
}
