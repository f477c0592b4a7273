/** The list of rules, and the strength of several ties together. */

import { costlierRequests } from './costlier-requests.ts';
import { definition } from './definition.ts';
import { edge } from './edge.ts';
import { flag } from './flag.ts';
import { frame } from './frame.ts';
import { identifier } from './identifier.ts';
import { moreCalls } from './more-calls.ts';
import { setting } from './setting.ts';
import { state } from './state.ts';
import type { Rule, Tie, TieContext, TiedChange } from './tie.ts';

const rules: readonly Rule[] = [
  frame,
  identifier,
  definition,
  setting,
  state,
  flag,
  edge,
  moreCalls,
  costlierRequests,
];

export const findTies = (tied: TiedChange, context: TieContext): readonly Tie[] =>
  rules
    .flatMap((rule) => rule(tied, context))
    .filter(({ strength }) => strength > 0)
    .toSorted((a, b) => b.strength - a.strength);

/**
 * From 0 to 1: the strongest tie, and half of the strongest of another kind. Several ties of one kind are not
 * independent.
 */
export function combineStrengths(ties: readonly Tie[]): number {
  const [first] = ties;
  if (first === undefined) return 0;
  const otherStrength = ties.find(({ kind }) => kind !== first.kind)?.strength ?? 0;
  return Math.round((1 - (1 - first.strength) * (1 - otherStrength / 2)) * 1000) / 1000;
}
