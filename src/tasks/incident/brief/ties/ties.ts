/** The table of ties, and how much they weigh together. */
import { edge } from './edge.ts';
import { flag } from './flag.ts';
import { frame } from './frame.ts';
import { identifier } from './identifier.ts';
import { setting } from './setting.ts';
import { state } from './state.ts';
import type { Rule, Sight, Tie, Tied } from './tie.ts';

const rules: readonly Rule[] = [frame, identifier, setting, state, flag, edge];

export const tiesOf = (tied: Tied, sight: Sight): readonly Tie[] =>
  rules
    .flatMap((rule) => rule(tied, sight))
    .filter(({ strength }) => strength > 0)
    .toSorted((a, b) => b.strength - a.strength);

/** 0 to 1: each closes a part of what is open; of one kind the first counts whole, the next a half. */
export function strengthOf(ties: readonly Tie[]): number {
  const seen = new Map<string, number>();
  let open = 1;
  for (const { kind, strength } of ties) {
    const nth = seen.get(kind) ?? 0;
    seen.set(kind, nth + 1);
    open *= 1 - strength / 2 ** nth;
  }
  return Math.round((1 - open) * 1000) / 1000;
}
