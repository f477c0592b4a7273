import { describe, expect, it } from 'vitest';
import { shifted, zoomed } from './zoom.ts';

const whole = { from: 1_000, to: 9_000 };

describe('a timeline', () => {
  it.each([
    [{ from: 1_000, to: 9_000 }, 0.5, 5_000, { from: 3_000, to: 7_000 }],
    [{ from: 1_000, to: 9_000 }, 0.5, 1_000, { from: 1_000, to: 5_000 }],
    [{ from: 1_000, to: 9_000 }, 0.5, 9_000, { from: 5_000, to: 9_000 }],
    [{ from: 3_000, to: 5_000 }, 2, 3_000, { from: 3_000, to: 7_000 }],
    [{ from: 7_000, to: 9_000 }, 2, 8_000, { from: 5_000, to: 9_000 }],
    [{ from: 3_000, to: 7_000 }, 2, 5_000, null],
    [{ from: 3_000, to: 3_012 }, 0.5, 3_006, { from: 3_001, to: 3_011 }],
  ])('%j, %d times as long around %d, is %j', (part, by, around, expected) => {
    expect(zoomed(part, by, around, whole)).toEqual(expected);
  });

  it.each([
    [{ from: 3_000, to: 5_000 }, 1, { from: 4_000, to: 6_000 }],
    [{ from: 7_500, to: 8_500 }, 1, { from: 8_000, to: 9_000 }],
    [{ from: 8_000, to: 9_000 }, 1, { from: 8_000, to: 9_000 }],
    [{ from: 1_200, to: 3_200 }, -1, { from: 1_000, to: 3_000 }],
  ])('%j, moved by %d, is %j', (part, by, expected) => {
    expect(shifted(part, by, whole)).toEqual(expected);
  });
});
