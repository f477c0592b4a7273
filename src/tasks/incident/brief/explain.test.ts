/** What brings about what, and what only looks as if it did. */
import { describe, expect, it } from 'vitest';
import { type Candidate, explains, findFirstCauses } from './explain.ts';
import type { Condition } from './state/condition.ts';
import * as conditions from './state/conditions.ts';

const noon = Date.parse('2026-05-04T12:00:00Z');
const minute = 60_000;
const change = (at: number, tied: number, met?: Condition, kind = 'identifier'): Candidate =>
  ({
    kind: 'change',
    support: tied,
    of: {
      at,
      tieStrength: tied,
      ties: [met === undefined ? { kind, to: '', strength: tied } : { kind: 'state', to: `db: ${met.name}` }],
    },
  }) as unknown as Candidate;
const state = (condition: Condition, first: number | null, builtUp: number | null = null): Candidate =>
  ({
    kind: 'state',
    support: 0.7,
    of: { condition, category: condition.category, states: [{ condition, first }], builtUp },
  }) as unknown as Candidate;
const outside = (kind: 'traffic' | 'upstream', since: number, isOwnFault = false): Candidate =>
  ({ kind: 'outside', support: 0.6, of: { kind, since, isOwnFault } }) as unknown as Candidate;

describe('a change', () => {
  it('explains the state that it is tied to, and that came after it', () => {
    expect(
      explains(change(noon, 0.4, conditions.connections), state(conditions.connections, noon + minute)),
    ).toBe(true);
    expect(explains(change(noon, 0.9), state(conditions.connections, null))).toBe(true);
  });
  it('not what had built up before it, and not what only its place ties it to', () => {
    const later = noon + 5 * minute;
    expect(explains(change(noon, 0.9), state(conditions.connections, later, noon - 40 * minute))).toBe(false);
    expect(explains(change(noon, 0.9), state(conditions.connections, later, noon + minute))).toBe(true);
    expect(explains(change(noon, 0.9, undefined, 'edge'), state(conditions.connections, later))).toBe(false);
  });
  it('not numbers that were used up over years, unless it touches them', () => {
    expect(explains(change(noon, 0.9), state(conditions.wraparound, noon + minute))).toBe(false);
    expect(
      explains(change(noon, 0.9, conditions.wraparound), state(conditions.wraparound, noon + minute)),
    ).toBe(true);
    expect(explains(change(noon, 0.9), state(conditions.locks, noon + minute))).toBe(true);
  });
  it.each([
    [
      'one that was there before it',
      change(noon, 0.9, conditions.fullDisk),
      state(conditions.fullDisk, noon - 10 * minute),
    ],
    ['one that hardly anything ties to it', change(noon, 0.3), state(conditions.connections, noon + minute)],
    ['the fault of somebody else, in his own words', change(noon, 0.9), outside('upstream', noon, true)],
    ['load that came before it', change(noon, 0.9), outside('traffic', noon - 10 * minute)],
  ])('not %s', (_, one, other) => {
    expect(explains(one, other)).toBe(false);
  });
});

describe('load', () => {
  it('uses up processors, workers and connections', () => {
    expect(explains(outside('traffic', noon), state(conditions.connections, noon + minute))).toBe(true);
    expect(explains(outside('traffic', noon), state(conditions.workers, null))).toBe(true);
  });
  it.each([
    ['fills no disk', state(conditions.fullDisk, noon + minute)],
    ['makes no certificate expire', state(conditions.certificate, noon + minute)],
    ['is no cause of what was before it', state(conditions.connections, noon - 10 * minute)],
  ])('%s', (_, other) => {
    expect(explains(outside('traffic', noon), other)).toBe(false);
  });
});

it('what nothing explains is blamed first, however strong the others look', () => {
  const [all] = [[state(conditions.connections, noon + minute), change(noon, 0.45, conditions.connections)]];
  expect(findFirstCauses(all!)).toEqual([all![1]]);
  expect(findFirstCauses([state(conditions.fullDisk, noon)])).toHaveLength(1);
});
