import { describe, expect, test } from 'vitest';
import { defaultBusyMs, retryWhileBusy, type WaitPorts } from './retry-while-busy.ts';

const busy = Object.assign(new Error('database is locked'), { errcode: 5 | (2 << 8) });

/** A clock that only pauses move on. */
function watched(random: () => number): WaitPorts & { readonly pauses: number[] } {
  let time = 0;
  const pauses: number[] = [];
  return {
    pauses,
    random,
    now: () => time,
    pause(ms) {
      pauses.push(ms);
      time += ms;
    },
  };
}

/** Busy until a moment of the clock. */
const freeAt = (moment: number, wait: WaitPorts) => () => {
  if (wait.now() < moment) throw busy;
  return 'written';
};

describe('a file that others write to', () => {
  test('is waited for longer than a busy disk needs', () => {
    const wait = watched(() => 0.5);
    expect(retryWhileBusy(defaultBusyMs, freeAt(45_000, wait), wait)).toBe('written');
  });

  test('is given up in the end', () => {
    const wait = watched(() => 0.5);
    expect(() => retryWhileBusy(defaultBusyMs, freeAt(Number.POSITIVE_INFINITY, wait), wait)).toThrow(busy);
    expect(wait.now()).toBeCloseTo(defaultBusyMs);
  });

  test('who has waited long asks as often as who came just now, and none in step with another', () => {
    let drawn = 0;
    const wait = watched(() => {
      drawn += 0.37;
      return drawn % 1;
    });
    retryWhileBusy(defaultBusyMs, freeAt(20_000, wait), wait);
    const late = wait.pauses.slice(-200, -1);
    expect(Math.max(...late)).toBeLessThan(50);
    expect(new Set(late.map((ms) => ms.toFixed(3))).size).toBeGreaterThan(50);
  });

  test('nothing else is tried twice', () => {
    let tries = 0;
    const fails = () => {
      tries += 1;
      throw Object.assign(new Error('full'), { errcode: 13 });
    };
    expect(() => retryWhileBusy(1_000, fails, watched(Math.random))).toThrow('full');
    expect(tries).toBe(1);
  });
});
