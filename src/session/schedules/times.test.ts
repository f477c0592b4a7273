import { describe, expect, it } from 'vitest';
import { isSondeError } from '../../core/index.ts';
import type { Trigger } from '../../store/index.ts';
import { jitterOf, listTimes, nextTime } from './times.ts';

const cron = (expression: string, zone = 'Europe/Berlin'): Trigger => ({ kind: 'cron', expression, zone });

function following(trigger: Trigger, from: string, count: number): readonly string[] {
  const times: string[] = [];
  let time: number | null = Date.parse(from);
  for (let nth = 0; nth < count && time !== null; nth += 1) {
    time = nextTime(trigger, time);
    if (time !== null) times.push(new Date(time).toISOString().slice(0, 16));
  }
  return times;
}

describe('times', () => {
  it.each<[string, Trigger, string, readonly string[]]>([
    [
      'an hour that the clocks skip comes once, after the gap',
      cron('30 2 * * *'),
      '2026-03-28T00:00Z',
      ['2026-03-28T01:30', '2026-03-29T01:00', '2026-03-30T00:30'],
    ],
    [
      'an hour that comes twice comes once',
      cron('30 2 * * *'),
      '2026-10-24T00:00Z',
      ['2026-10-24T00:30', '2026-10-25T00:30', '2026-10-26T01:30'],
    ],
    [
      'every half hour goes through both',
      cron('*/30 * * * *'),
      '2026-10-24T23:30Z',
      ['2026-10-25T00:00', '2026-10-25T00:30', '2026-10-25T01:00', '2026-10-25T01:30'],
    ],
    [
      'nine o’clock stays nine o’clock',
      cron('0 9 * * 1-5', 'America/New_York'),
      '2026-03-06T00:00Z',
      ['2026-03-06T14:00', '2026-03-09T13:00'],
    ],
    [
      'a day that few months have',
      cron('0 0 31 * *', 'UTC'),
      '2026-01-31T00:00Z',
      ['2026-03-31T00:00', '2026-05-31T00:00'],
    ],
    ['a day that no month has', cron('0 0 30 2 *', 'UTC'), '2026-01-01T00:00Z', []],
    [
      'an interval',
      { kind: 'interval', everyMs: 3_600_000 },
      '2026-01-01T00:20Z',
      ['2026-01-01T01:00', '2026-01-01T02:00'],
    ],
    ['an event', { kind: 'event', names: ['saved'] }, '2026-01-01T00:00Z', []],
  ])('%s', (_, trigger, from, expected) => {
    expect(following(trigger, from, expected.length || 2)).toEqual(expected);
  });

  it.each<Trigger>([cron('*/20 1-3 * * *'), cron('30 2 * * *'), { kind: 'interval', everyMs: 420_000 }])(
    'looked back at are those that were ahead: %j',
    (trigger) => {
      for (const start of ['2026-03-28T12:00Z', '2026-10-24T12:00Z']) {
        const from = nextTime(trigger, Date.parse(start))!;
        const until = from + 2 * 86_400_000 + 61_500;
        const ahead: number[] = [];
        for (let time: number | null = from; time !== null && time <= until; time = nextTime(trigger, time))
          ahead.push(time);
        expect(listTimes(trigger, from, until, 1000)).toEqual(ahead);
        expect(listTimes(trigger, from, until, 3)).toEqual(ahead.slice(-3));
        expect(listTimes(trigger, from, from, 3)).toEqual([from]);
      }
    },
  );

  it.each<Trigger>([
    cron('bad'),
    cron('* * * * * *'),
    cron('61 * * * *'),
    cron('0 9 * * *', 'Nowhere/City'),
    { kind: 'interval', everyMs: 10 },
    { kind: 'interval', everyMs: Number.NaN },
  ])('that are none are refused: %j', (trigger) => {
    let code: string | null = null;
    try {
      nextTime(trigger, 0);
    } catch (error) {
      code = isSondeError(error) ? error.code : null;
    }
    expect(code).toBe('bad_argument');
  });

  it('are spread by a jitter that is always the same', () => {
    const spread = Array.from({ length: 200 }, (_, due) => jitterOf('s', due, 1000));
    expect(new Set(spread).size).toBeGreaterThan(100);
    expect(spread.every((each) => each >= 0 && each <= 1000)).toBe(true);
    expect(jitterOf('s', 7, 1000)).toBe(jitterOf('s', 7, 1000));
    expect(jitterOf('s', 7, 0)).toBe(0);
  });
});
