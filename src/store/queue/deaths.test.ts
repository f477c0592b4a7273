/** When work is given up because processes died over it, and when not. */
import { expect, it } from 'vitest';
import { addCrash, type DeathRecord, deathLimits, judgeDeaths, readDeaths } from './deaths.ts';

const { idleCrashes, idleDeaths, inAll } = deathLimits;
const kept = (progress: number | null, deaths: number, crashes: number): DeathRecord => ({
  ...{ progress, deaths, crashes },
});
const judged = (deaths: number, before: DeathRecord | null, progress: number) =>
  judgeDeaths({ deaths }, before, progress);

it.each([
  ['nobody died over it', 0, null, 0, kept(0, 0, 0)],
  ['the first death has nothing to be compared with', 1, null, 7, kept(7, 0, 0)],
  ['a worker died, and nothing was added', 2, kept(7, 0, 1), 7, kept(7, 0, 1)],
  ['something was added', 4, kept(4, 1, 2), 5, kept(5, 4, 0)],
  ['something was lost', 2, kept(4, 1, 0), 3, kept(4, 1, 0)],
  ['somebody had it tried again', 0, kept(4, 1, 2), 4, kept(4, 0, 0)],
  ['it was tried again, and a worker died', 1, kept(4, 0, 3), 4, kept(4, 0, 1)],
] as const)('%s', (_, deaths, before, progress, after) => {
  expect(judged(deaths, before, progress)).toMatchObject({ kept: after, end: null });
  // The same deaths are judged once.
  expect(judged(deaths, after, Math.max(progress, after.progress ?? 0))).toMatchObject({ isChanged: false });
});

it('is given up after three crashes of its own process in a row that added nothing', () => {
  let [deaths, before]: [number, DeathRecord | null] = [0, null];
  for (; deaths < idleCrashes; deaths += 1) {
    const { kept, end } = judged(deaths, before, 4);
    expect([deaths, end]).toEqual([deaths, null]);
    before = addCrash(kept);
  }
  expect(judged(deaths, before, 4).end).toBe('its own process died 3 times without coming any further');
  expect(judged(deaths, before, 5).end).toBeNull();
});

it('is given up only after ten deaths of workers in a row, since those are seldom the fault of the work', () => {
  let before: DeathRecord | null = null;
  for (let deaths = 0; deaths < idleDeaths; deaths += 1) {
    const { kept, end } = judged(deaths, before, 4);
    expect([deaths, end]).toEqual([deaths, null]);
    before = kept;
  }
  expect(judged(idleDeaths, before, 4).end).toContain('10 processes, workers or its own, died');
  expect(judged(idleDeaths, before, 5).end).toBeNull();
});

it('is given up in the end, however far it comes', () => {
  expect(judged(inAll - 1, kept(4, 48, 0), 5).end).toBeNull();
  expect(judged(inAll, kept(4, 49, 0), 5).end).toContain('50 processes');
});

it.each([
  ['nothing', null, null],
  ['a group of alerts of an older version', { run: 'r' }, null],
  ['a run of an older version', { commit: 'c', progress: 4, deaths: 2 }, kept(4, 2, 0)],
  // It held the deaths in all, and those since it last grew.
  ['a turn of an older version', { deaths: 7, stuck: 4, progress: 3 }, kept(3, 3, 0)],
] as const)('reads what %s keeps', (_, stored, expected) => {
  expect(readDeaths({ kept: stored })).toEqual(expected);
});
