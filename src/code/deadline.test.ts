import { expect, it, vi } from 'vitest';
import { Deadline } from './deadline.ts';

/** The processor has given this process `used` ms when `passed` ms have passed. */
function at(limitMs: number, passed: number, used: number): boolean {
  const now = vi.spyOn(performance, 'now').mockReturnValue(1_000);
  const usage = vi.spyOn(process, 'cpuUsage').mockReturnValue({ user: 0, system: 0 });
  const deadline = new Deadline(limitMs);
  now.mockReturnValue(1_000 + passed);
  usage.mockReturnValue({ user: used * 500, system: used * 500 });
  const { isOver } = deadline;
  expect(isOver).toBe(deadline.left === 0);
  now.mockRestore();
  usage.mockRestore();
  return isOver;
}

it.each([
  ['before its time, however busy this process is', 2_000, 1_999, 8_000, false],
  ['after its time, where the processor was this process’s own', 2_000, 2_001, 2_001, true],
  ['after its time, where others had the processor', 2_000, 2_001, 100, false],
  ['long after its time, whoever had the processor', 2_000, 6_001, 100, true],
  ['never, where no limit is wanted', Number.MAX_SAFE_INTEGER, 1e12, 1e12, false],
])('is over: %s', (_, limitMs, passed, used, expected) => {
  expect(at(limitMs, passed, used)).toBe(expected);
});

it('moves by what has a limit of its own, and follows a clock that is given', () => {
  let time = 0;
  const deadline = new Deadline(100, () => time);
  time = 101;
  expect(deadline.isOver).toBe(true);
  deadline.extend(50);
  expect(deadline.left).toBe(49);
});
