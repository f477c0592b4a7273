/** Notifies schedules of changes of the workspace, also of those made while no server ran. */
import { systemClock } from '../../core/index.ts';
import type { ScheduleRunner, WorkspaceEvent } from '../../session/schedules/index.ts';
import type { Schedules } from '../../store/index.ts';
import type { World, WorldEvent } from '../../world/index.ts';
import type { PositionStore } from '../agent/requests/position-store.ts';
import { importBursts } from './import-bursts.ts';

export interface FollowPorts {
  readonly world: Pick<World, 'events' | 'page' | 'block'>;
  readonly marks: PositionStore;
  readonly schedules: Pick<Schedules, 'list'>;
}

export interface Follower {
  /** Reads the next part of the log. `isAll`: it reached the end; `told`: the number of events passed to schedules. */
  readNext(): Promise<{ readonly notified: number; readonly isAll: boolean }>;
  /** Whether an import is running or has just ended; schedules are notified when it is over. */
  hasOpenImports(): boolean;
}

/** Maximum events read at a time. */
const maxEvents = 500;
const maxIds = 20;
const markName = 'world events';

/**
 * Each write is an event; all writes of an import are one event. Writes by schedules are no events, so that no schedule
 * triggers itself.
 */
export async function openFollower(
  runner: Pick<ScheduleRunner, 'notify' | 'catchUp' | 'lastSettled'>,
  { world, marks, schedules }: FollowPorts,
): Promise<Follower> {
  const storedAtStart = marks.read(markName);
  let lastRead = storedAtStart ?? (await findStart(world, schedules));
  if (storedAtStart === null) marks.set(markName, lastRead);
  let storedPosition = lastRead;
  const imports = importBursts();
  /** Events from before this follower began, until all of them are read. */
  let missedEvents: { readonly upTo: number; readonly events: WorkspaceEvent[] } | null = {
    upTo: findLogEnd(world, lastRead),
    events: [],
  };

  const hasOpenImports = (): boolean => imports.lastSettled(lastRead) < lastRead;

  async function notify(event: WorkspaceEvent & { readonly seq: number }): Promise<void> {
    if (missedEvents !== null && event.seq <= missedEvents.upTo) missedEvents.events.push(event);
    else await runner.notify(event);
  }

  return {
    async readNext() {
      const events = world.events(lastRead, maxEvents);
      const isAll = events.length < maxEvents;
      const now = systemClock.now();
      for (const event of events) {
        const { write_id, op, caller_kind, content_ids, seq, at } = event;
        lastRead = seq;
        if (caller_kind === 'schedule') continue;
        const paths = listPaths(event, world);
        if (imports.add(event, Math.min(now, at), paths)) continue;
        const payload = { write_id, content_ids: content_ids.slice(0, maxIds) };
        await notify({ id: write_id, name: op, payload, seq, at, paths });
      }
      // Before the end of the log an import may have more writes.
      const finishedImports = isAll ? imports.take(now) : [];
      for (const event of finishedImports) await notify(event);
      // Missed events are passed on together, after an import that has not ended yet.
      if (missedEvents !== null && isAll && !hasOpenImports()) {
        const { events } = missedEvents;
        missedEvents = null;
        if (events.length > 0) await runner.catchUp(events);
      }
      const upTo = missedEvents === null ? runner.lastSettled(imports.lastSettled(lastRead)) : storedPosition;
      if (upTo !== storedPosition) {
        storedPosition = upTo;
        marks.set(markName, storedPosition);
      }
      return { notified: events.length + finishedImports.length, isAll };
    },
    hasOpenImports,
  };
}

/** The paths of the pages that the event touched, before and after it. */
export const listPaths = (
  { content_ids, before }: WorldEvent,
  world: Pick<World, 'page' | 'block'>,
): readonly string[] => [
  ...new Set(
    content_ids.flatMap((id) => {
      const page = world.block(id)?.page ?? id;
      const paths = [world.page(page)?.path, before?.[page]?.path];
      return paths.filter((path) => path !== undefined);
    }),
  ),
];

/** The last event before the oldest schedule was added: the first server starts reading after it. */
async function findStart(world: Pick<World, 'events'>, schedules: Pick<Schedules, 'list'>): Promise<number> {
  const waiting = (await schedules.list()).filter(
    ({ enabled, trigger }) => enabled && trigger.kind === 'event',
  );
  const since = waiting.reduce((earliest, row) => Math.min(earliest, row.since), Number.POSITIVE_INFINITY);
  return findLogEnd(world, 0, since);
}

/** The sequence number of the last event before a time; without a time, of the last event. */
function findLogEnd(world: Pick<World, 'events'>, after: number, before = Number.POSITIVE_INFINITY): number {
  for (let last = after; ; ) {
    const events = world.events(last, 10_000);
    const later = events.findIndex(({ at }) => at >= before);
    const end = (later === -1 ? events : events.slice(0, later)).at(-1)?.seq ?? last;
    if (events.length === 0 || later !== -1) return end;
    last = end;
  }
}
