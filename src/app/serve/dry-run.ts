/** Lists the turns that a schedule would have started in the past, by its present rules. */
import {
  dayStart,
  listTimes,
  matchesSchedule,
  nextTime,
  openGatherings,
  reasonToHold,
  type WorkspaceEvent,
  zoneOf,
} from '../../session/schedules/index.ts';
import type { Schedule } from '../../store/index.ts';
import type { World, WorldEvent } from '../../world/index.ts';
import { importBursts } from './import-bursts.ts';
import { listPaths } from './world-follower.ts';

export interface DryRunStart {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The event that would have started it; null for a time. */
  readonly event: { readonly name: string; readonly paths: readonly string[] } | null;
  /** The reason why it would not have started; null if it would have. */
  readonly held: string | null;
}

const week = 7 * 24 * 3_600_000;
const maxTimes = 20_000;
const batchSize = 500;

/**
 * Lists the starts of the seven days before `now`. The duration and cost of turns are not known, so limits on them are
 * not applied.
 */
export function dryRun(
  schedule: Schedule,
  world: Pick<World, 'events' | 'page' | 'block'>,
  now: number,
): readonly DryRunStart[] {
  const from = now - week;
  const due =
    schedule.trigger.kind === 'event'
      ? findEventStarts(schedule, world, from, now)
      : listTimes(schedule.trigger, nextTime(schedule.trigger, from - 1) ?? now, now, maxTimes).map((at) => ({
          at,
          event: null,
        }));
  const started = new Map<number, number>();
  return due.map(({ at, event }) => {
    const day = dayStart(at, zoneOf(schedule));
    const startedToday = started.get(day) ?? 0;
    const reason = reasonToHold(schedule.together ?? {}, { started: startedToday, usd: 0 });
    if (reason === null) started.set(day, startedToday + 1);
    return { at, event, held: reason };
  });
}

function findEventStarts(
  schedule: Schedule,
  world: Pick<World, 'events' | 'page' | 'block'>,
  from: number,
  now: number,
): readonly Omit<DryRunStart, 'held'>[] {
  const imports = importBursts();
  const gathering = openGatherings();
  const starts: Omit<DryRunStart, 'held'>[] = [];
  const addStart = (at: number, { name, paths = [] }: WorkspaceEvent): void => {
    starts.push({ at, event: { name, paths } });
  };
  const seen = new Set<string>();
  function addEvent(at: number, event: WorkspaceEvent): void {
    if (!matchesSchedule(schedule, event) || gathering.add(schedule, event)) return;
    // One import gives several events with the same id.
    if (seen.has(event.id)) return;
    seen.add(event.id);
    addStart(at, event);
  }
  const takeFinished = (at: number): void => {
    for (const event of imports.take(at)) addEvent(event.at ?? at, event);
    for (const { event } of gathering.take(at)) addStart(event.at ?? at, event);
  };
  for (const event of eventsSince(world, from)) {
    takeFinished(event.at);
    if (event.caller_kind === 'schedule') continue;
    const paths = listPaths(event, world);
    if (!imports.add(event, event.at, paths))
      addEvent(event.at, {
        id: event.write_id,
        name: event.op,
        payload: null,
        seq: event.seq,
        at: event.at,
        paths,
      });
  }
  takeFinished(now);
  takeFinished(Number.MAX_SAFE_INTEGER);
  return starts;
}

function* eventsSince(world: Pick<World, 'events'>, from: number): Generator<WorldEvent> {
  for (let after = 0; ; ) {
    const events = world.events(after, batchSize);
    for (const event of events) if (event.at >= from) yield event;
    const last = events.at(-1);
    if (last === undefined) return;
    after = last.seq;
  }
}
