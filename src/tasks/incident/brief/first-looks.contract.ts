/**
 * What was stated for each blame of three sets, and whether it was exact: what the weights of confidence.ts are fitted
 * on. Each set was made by somebody who knew nothing of the rules. At its first look they knew nothing of it either; at
 * a later one they had been mended by it, so it counts less.
 */
import type { Grounds } from './confidence.ts';

type Look = readonly [
  set: 'A' | 'B' | 'C',
  look: 'first' | 'later',
  isExact: boolean,
  stated: Partial<Grounds>,
];

/** What a later look counts. */
const later = 0.45;

export const looks: readonly Look[] = [
  ['A', 'first', false, { state: 1, twice: 0.5, changed: 1 }],
  ['A', 'first', true, { near: 1, last: 1, otherChange: 0.87 }],
  ['A', 'first', false, { outside: 1, reported: 0.55 }],
  ['A', 'first', true, { tie: 0.32, secondTie: 0.3, last: 1, frame: 1, otherChange: 0.86 }],
  ['A', 'first', false, { state: 1, twice: 0.5, plain: 1, changed: 1 }],
  ['A', 'first', false, { tie: -0.1, thin: 1, otherChange: 0.84 }],
  ['A', 'first', true, { tie: 0.22, secondTie: 0.8, near: 1, last: 1, otherChange: 0.22 }],
  ['A', 'first', true, { tie: 0.2, secondTie: 0.6, near: 1, otherChange: 0.02 }],
  ['A', 'first', true, { tie: -0.06, near: 1, last: 1, thin: 1, otherChange: 0.77 }],
  ['A', 'first', true, { outside: 1, reported: 0.75 }],
  ['A', 'first', false, { tie: -0.11, thin: 1, otherChange: 0.75 }],
  ['A', 'first', false, { tie: -0.11, secondTie: 0.11, last: 1, thin: 1, otherChange: 0.4 }],
  ['A', 'first', false, { tie: 0.16, last: 1, otherChange: 0.02 }],
  ['A', 'first', false, { tie: 0.2, secondTie: 0.6, otherChange: 0.04 }],
  ['B', 'first', false, { state: 1, twice: 0.5, vague: 1, changed: 1 }],
  ['B', 'first', false, { tie: 0.25, otherChange: 0.1 }],
  ['B', 'first', false, { outside: 1, reported: 0.55 }],
  ['B', 'first', true, { tie: 0.25, secondTie: 0.49, near: 1, last: 1, otherChange: 0.2 }],
  ['B', 'first', true, { tie: -0.1, secondTie: 0.13, last: 1, thin: 1, otherChange: 0.02 }],
  ['B', 'first', true, { tie: -0.12, thin: 1, otherChange: 1 }],
  ['B', 'first', true, { tie: 0.17, secondTie: 0.51, near: 1, last: 1, otherChange: 0.23 }],
  ['B', 'first', true, { outside: 1, reported: 0.75 }],
  ['B', 'first', false, { state: 1, twice: 0.5, vague: 1, changed: 1 }],
  ['B', 'first', false, { tie: 0.25, secondTie: 0.64, otherChange: 0.08 }],
  ['B', 'first', false, { state: 1, twice: 0.5, plain: 1, changed: 1 }],
  ['B', 'first', false, { state: 1, twice: 0.5, vague: 1, changed: 1 }],
  ['B', 'first', true, { state: 1, twice: 0.5, plain: 1, changed: 1 }],
  ['B', 'first', false, { tie: 0.25, otherChange: 0.1 }],
  ['C', 'first', false, { tie: 0.25, otherChange: 1 }],
  ['C', 'first', false, { outside: 1, reported: 0.95 }],
  ['C', 'first', true, { tie: -0.19, near: 1, last: 1, thin: 1, otherChange: 0.63 }],
  ['C', 'first', true, { tie: -0.1, secondTie: 0.34, otherChange: 1 }],
  ['C', 'first', false, { state: 1, twice: 0.5, otherCause: 0.34, plain: 1, changed: 1 }],
  ['C', 'first', true, { outside: 1, reported: 0.95 }],
  ['C', 'first', false, { tie: 0.25, otherChange: 0.46 }],
  ['C', 'first', true, { tie: 0.25, otherChange: 0.39 }],
  ['C', 'first', false, { tie: -0.11, last: 1, thin: 1, otherChange: 0.78 }],
  ['C', 'first', true, { secondTie: 0.5, near: 1, last: 1, otherChange: 0.55 }],
  ['C', 'first', false, { tie: 0.22, secondTie: 0.5, otherChange: 0.15 }],
  ['A', 'later', true, { tie: 0.15, secondTie: 0.6, frame: 1, otherChange: 0.6 }],
  ['A', 'later', true, { near: 1, last: 1, otherChange: 0.87 }],
  ['A', 'later', true, { tie: -0.12, near: 1, last: 1, thin: 1, otherChange: 0.37 }],
  ['A', 'later', true, { tie: 0.32, secondTie: 0.3, last: 1, frame: 1, otherChange: 0.59 }],
  ['A', 'later', true, { tie: 0.32, secondTie: 0.59, frame: 1, otherChange: 0.4 }],
  ['A', 'later', true, { tie: 0.25, secondTie: 0.78, otherChange: 0.79 }],
  ['A', 'later', true, { tie: 0.2, secondTie: 0.65, near: 1, last: 1, otherChange: 0.23 }],
  ['A', 'later', true, { tie: 0.2, secondTie: 0.6, near: 1, otherChange: 0.02 }],
  ['A', 'later', true, { tie: 0.17, secondTie: 0.54, near: 1, last: 1, otherChange: 0.5 }],
  ['A', 'later', true, { outside: 1, reported: 0.75 }],
  ['A', 'later', false, { state: 1, twice: 0.5, vague: 1, changed: 1 }],
  ['A', 'later', true, { state: 1, twice: 0.5, otherCause: 0.34, plain: 1, changed: 1 }],
  ['A', 'later', true, { tie: -0.24, secondTie: 0.22, thin: 1, otherChange: 1 }],
  ['B', 'later', true, { tie: 0.32, secondTie: 0.8, near: 1, last: 1, frame: 1, otherChange: 0.07 }],
  ['B', 'later', true, { tie: 0.12, secondTie: 0.25, near: 1, last: 1, otherChange: 0.04 }],
  ['B', 'later', false, { state: 1, twice: 0.5, vague: 1, changed: 1 }],
  ['B', 'later', true, { tie: 0.12, secondTie: 0.55, near: 1, last: 1, otherChange: 0.29 }],
  ['B', 'later', true, { tie: 0.2, secondTie: 0.49, near: 1, last: 1, otherChange: 0.21 }],
  ['B', 'later', true, { tie: -0.1, secondTie: 0.13, last: 1, thin: 1, otherChange: 0.02 }],
  ['B', 'later', true, { tie: -0.12, thin: 1, otherChange: 1 }],
  ['B', 'later', true, { tie: 0.04, last: 1, otherChange: 0.45 }],
  ['B', 'later', true, { tie: 0.17, secondTie: 0.51, near: 1, last: 1, otherChange: 0.23 }],
  ['B', 'later', true, { outside: 1, reported: 0.75 }],
  ['B', 'later', true, { outside: 1, reported: 0.8 }],
  ['B', 'later', true, { state: 1, twice: 0.5, otherCause: 0.42, plain: 1, changed: 1 }],
  ['B', 'later', false, { state: 1, twice: 0.5, plain: 1, changed: 1 }],
  ['B', 'later', true, { outside: 1, reported: 0.6 }],
  ['B', 'later', true, { state: 1, twice: 0.5, plain: 1, changed: 1 }],
  ['C', 'later', false, { outside: 1, reported: 0.95 }],
  ['C', 'later', true, { tie: -0.19, near: 1, last: 1, thin: 1, otherChange: 0.63 }],
  ['C', 'later', true, { tie: -0.1, secondTie: 0.34, otherChange: 1 }],
  ['C', 'later', true, { tie: -0.14, near: 1, last: 1, thin: 1, otherChange: 0.2 }],
  ['C', 'later', true, { state: 1, twice: 0.5, otherCause: 0.34, plain: 1, changed: 1 }],
  ['C', 'later', true, { outside: 1, reported: 0.75 }],
  ['C', 'later', false, { tie: 0.25, otherChange: 0.46 }],
  ['C', 'later', true, { tie: 0.25, otherChange: 0.39 }],
  ['C', 'later', true, { tie: 0.25, secondTie: 0.19, otherChange: 1 }],
  ['C', 'later', true, { secondTie: 0.5, near: 1, last: 1, otherChange: 0.55 }],
  ['C', 'later', true, { tie: 0.15, near: 1, last: 1, otherChange: 0.37 }],
];

/**
 * The weights before, which were fitted on 258 blames of seven earlier sets: so many looks cannot teach 16 weights from
 * nothing.
 */
export const before: Grounds = {
  state: -0.48,
  outside: 0.1,
  tie: 0.43,
  secondTie: 0.57,
  near: 1.39,
  last: 0.86,
  frame: 0.85,
  thin: -1.13,
  otherChange: -0.87,
  twice: 0.54,
  vague: -0.77,
  otherCause: -0.45,
  plain: 0.44,
  changed: -0.44,
  undated: -0.4,
  reported: 0.61,
};
export const biasBefore = 0.1;

/**
 * How hard the weights before hold on: the least with which three quarters of what is exact elsewhere stay at .5 or
 * more.
 */
const held = 8;

export interface Fitted {
  readonly weights: Grounds;
  readonly bias: number;
}

/**
 * The logistic model of greatest likelihood, with a normal prior around the weights before; by gradients, until it
 * stands still.
 */
export function fitWeights(looks: readonly Look[]): Fitted {
  const names = Object.keys(before) as (keyof Grounds)[];
  const weights = names.map((name) => before[name]);
  let bias = biasBefore;
  const known = looks.map(([, look, isExact, stated]) => ({
    stated: names.map((name) => stated[name] ?? 0),
    isExact,
    counts: look === 'first' ? 1 : later,
  }));
  for (let step = 0; step < 8_000; step += 1) {
    const slope = names.map((name, k) => held * (weights[k]! - before[name]));
    let lean = held * (bias - biasBefore);
    for (const { stated, isExact, counts } of known) {
      const sum = stated.reduce((total, value, k) => total + value * weights[k]!, bias);
      const miss = counts * (1 / (1 + Math.exp(-sum)) - Number(isExact));
      lean += miss;
      for (const [k, value] of stated.entries()) slope[k]! += miss * value;
    }
    for (const k of names.keys()) weights[k]! -= 0.01 * slope[k]!;
    bias -= 0.01 * lean;
  }
  const short = (value: number): number => Math.round(value * 100) / 100;
  return {
    weights: Object.fromEntries(names.map((name, k) => [name, short(weights[k]!)])) as unknown as Grounds,
    bias: short(bias),
  };
}

/** How likely a blame is exact by these weights. */
export function likely({ weights, bias }: Fitted, stated: Partial<Grounds>): number {
  const names = Object.keys(stated) as (keyof Grounds)[];
  const sum = names.reduce((total, name) => total + (stated[name] ?? 0) * weights[name], bias);
  return Math.max(0.05, 1 / (1 + Math.exp(-sum)));
}
