import { afterEach, expect, it } from 'vitest';
import type { Schedule } from '../../store/index.ts';
import { memoryWorld } from '../../world/scripted.ts';
import { dryRun } from './dry-run.ts';

const worlds: { close(): void }[] = [];
afterEach(() => {
  for (const world of worlds.splice(0)) world.close();
});

const base: Omit<Schedule, 'trigger'> = {
  ...{ id: 's', prompt: 'Look.', thread: null, missed: 'once', jitterMs: 0, limits: {}, enabled: true },
};

it('times of a week, and those that a limit would have held', () => {
  const world = memoryWorld({});
  worlds.push(world);
  const trigger = { kind: 'cron', expression: '0 */6 * * *', zone: 'UTC' } as const;
  const found = dryRun(
    { ...base, trigger, together: { perDay: 1 } },
    world,
    Date.parse('2026-06-08T12:00:00Z'),
  );
  expect(found).toHaveLength(29);
  expect(found.filter(({ held }) => held === null)).toHaveLength(8);
  expect(found[1]).toMatchObject({ held: 'held by --max-per-day 1: 1 turn started today' });
});

it('an interval starts at its multiples, as it does when it runs', () => {
  const world = memoryWorld({});
  worlds.push(world);
  const trigger = { kind: 'interval', everyMs: 86_400_000 } as const;
  const found = dryRun({ ...base, trigger }, world, Date.parse('2026-06-08T12:34:56Z'));
  expect(found.map(({ at }) => new Date(at).toISOString())).toEqual(
    [2, 3, 4, 5, 6, 7, 8].map((day) => `2026-06-0${day}T00:00:00.000Z`),
  );
});

it('events of a week, by the paths and the gathering of the schedule', () => {
  const world = memoryWorld({ 'Daily/One': 'a\n', 'Daily/Two': 'b\n', Other: 'c\n' });
  worlds.push(world);
  const now = world.events(0, 10).at(-1)!.at + 1_000;
  const run = (more: Partial<Schedule>) =>
    dryRun({ ...base, trigger: { kind: 'event', names: ['create_page'] }, ...more }, world, now);
  const pathsOf = (more: Partial<Schedule>) => run(more).map(({ event }) => event!.paths);
  expect(pathsOf({})).toHaveLength(3);
  expect(pathsOf({ paths: ['Daily/*'] })).toEqual([['Daily/One'], ['Daily/Two']]);
  expect(pathsOf({ paths: ['Daily/*'], gatherMs: 60_000 })).toEqual([['Daily/One', 'Daily/Two']]);
  expect(run({ together: { perDay: 2 } }).map(({ held }) => held === null)).toEqual([true, true, false]);
  expect(
    dryRun({ ...base, trigger: { kind: 'event', names: ['create_page'] } }, world, now + 8 * 86_400_000),
  ).toEqual([]);
});
