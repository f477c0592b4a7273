import { expect, it } from 'vitest';
import { defaultLimits as incident, limitsOf as incidentLimits } from './incident/limits.ts';
import { defaultLimits as investigation, limitsOf as investigationLimits } from './investigation/limits.ts';
import { defaultLimits as research, limitsOf as researchLimits } from './research/limits.ts';
import { checkLimits, nonNegative, poolLimits, reserveFor } from './run-limits.ts';

const shapes = [
  ['research', researchLimits, research, 'steps'],
  ['incident', incidentLimits, incident, 'iterations'],
  ['investigation', investigationLimits, investigation, 'turns'],
] as const;

it.each(shapes)(
  '%s has defaults that fit, and takes what is given in their place',
  (_, limitsOf, defaults) => {
    expect(limitsOf({})).toEqual(defaults);
    expect(limitsOf({ usd: 0.25 })).toEqual({ ...defaults, usd: 0.25 });
    expect(limitsOf({ tokens: 0 }).tokens).toBe(0);
    expect(limitsOf({ tokens: undefined } as never)).toEqual(defaults);
    expect(Object.isFrozen(limitsOf({}))).toBe(true);
  },
);

it.each(
  shapes.flatMap(([shape, limitsOf, , turns]) =>
    [
      [{ [turns]: 0 }, turns, /Give a whole number from 1 to \d+\./],
      [{ [turns]: 2.5 }, turns, /whole number/],
      [{ tokens: -1 }, 'tokens', /Give a number that is 0 or more\./],
      [{ wall_ms: Number.NaN }, 'wall_ms', /0 or more/],
      [{ usd: Number.POSITIVE_INFINITY }, 'usd', /0 or more/],
      [{ calls: '3' }, 'calls', /0 or more/],
    ].map((row) => [shape, ...row, limitsOf] as const),
  ),
)('%s refuses %j, naming %s', (shape, given, name, remedy, limitsOf) => {
  expect(() => (limitsOf as (given: unknown) => unknown)(given)).toThrow(
    expect.objectContaining({
      code: 'bad_argument',
      message: expect.stringContaining(`The limit ${String(name)} of the shape ${shape} is`),
      remedy: expect.stringMatching(remedy as RegExp),
    }),
  );
});

it.each([
  [{}, { turns: 200, ask_width: 16, children: 4, reply_tokens: 8_000, call_ms: 150_000 }],
  [{ tokens: 600_000 }, { turns: 300, ask_width: 24, children: 6, reply_tokens: 12_000 }],
  [{ tokens: 20_000 }, { turns: 20, ask_width: 4, children: 1, reply_tokens: 1_000 }],
  [{ tokens: 10 }, { turns: 20, ask_width: 4, reply_tokens: 600 }],
  [
    { tokens: 1e9, wall_ms: 1e9 },
    { turns: 1_000, ask_width: 64, reply_tokens: 32_000, call_ms: 3_600_000 },
  ],
  [{ ask_width: 8 }, { ask_width: 8, children: 2, turns: 200 }],
  [
    { turns: 7, children: 9, reply_tokens: 500, call_ms: 1_000 },
    { turns: 7, children: 9, ask_width: 16 },
  ],
] as const)('what is not set of an investigation follows from its budget: %j', (given, followed) => {
  expect(investigationLimits(given)).toMatchObject({ ...given, ...followed });
});

it('both ends of a range count', () => {
  const only = (depth: number) =>
    checkLimits(
      'digging',
      { depth: { min: 1, max: 3 }, tokens: nonNegative },
      { depth: 1, tokens: 5 },
      { depth },
    );
  expect([1, 2.5, 3].map((depth) => only(depth).depth)).toEqual([1, 2.5, 3]);
  for (const depth of [0.9, 3.1]) expect(() => only(depth)).toThrow('The limit depth of the shape digging');
});

it('what has no limit has no ceiling, and nothing of it is kept back', () => {
  const shares = {
    wall_ms: { part: 0.5, max: 100 },
    tokens: { part: 0.5 },
    usd: { part: 0.5 },
    calls: { part: 0.5, max: 2 },
    fuel: { part: 0.1 },
  };
  const few = { wall_ms: 1_000, tokens: 5 };
  expect(poolLimits(3, few)).toEqual({ steps: 3, ...few });
  expect(reserveFor(few, shares)).toEqual({ steps: 1, wall_ms: 100, tokens: 2 });
  const all = { ...few, usd: 0.3, calls: 9, fuel: 25 };
  expect(poolLimits(3, all)).toEqual({ steps: 3, ...all });
  expect(reserveFor(all, shares)).toEqual({
    steps: 1,
    wall_ms: 100,
    tokens: 2,
    usd: 0.15,
    calls: 2,
    fuel: 2,
  });
});
