/** Selects the events of the workspace that a schedule waits for, and merges those that follow each other closely. */
import picomatch from 'picomatch';
import type { Schedule } from '../../store/index.ts';

export interface WorkspaceEvent {
  /** Identifies the event: the same event twice fires once. */
  readonly id: string;
  readonly name: string;
  readonly payload: unknown;
  /** Its number in the log of the workspace. Events without one are never gathered. */
  readonly seq?: number;
  /** When it happened. Milliseconds since the epoch. */
  readonly at?: number;
  /** Paths of the pages that it touched. */
  readonly paths?: readonly string[];
  /**
   * Present if the event stands for all writes of an import or a vault: the id of the import, and the number of its
   * last write.
   */
  readonly import?: { readonly id: string; readonly upTo: number };
  /** Present if it stands for several events. */
  readonly covers?: EventRange;
}

/** The events that a fire stands for, so that it is known after a crash which of them have fired. */
export interface EventRange {
  /** The numbers in the log of the workspace of the events that are not imports. */
  readonly from: number;
  readonly upTo: number;
  /** For each import, its last write. */
  readonly imports: Readonly<Record<string, number>>;
}

type EventSchedule = Pick<Schedule, 'id' | 'trigger' | 'paths' | 'gatherMs'>;

/** If edits do not stop, the schedule fires after this many times its quiet time. */
const maxQuietTimes = 12;
const maxIds = 20;

export function matchesSchedule(
  { trigger, paths }: Pick<EventSchedule, 'trigger' | 'paths'>,
  event: WorkspaceEvent,
): boolean {
  if (trigger.kind !== 'event' || !trigger.names.includes(event.name)) return false;
  if (paths === undefined || paths.length === 0) return true;
  const matches = picomatch([...paths], { dot: true, nocase: true });
  return (event.paths ?? []).some((path) => matches(path) || matches(`${path}.md`));
}

interface Gathering {
  readonly schedule: string;
  readonly gatherMs: number;
  readonly first: NumberedEvent;
  readonly events: NumberedEvent[];
  last: number;
}

type NumberedEvent = WorkspaceEvent & { readonly seq: number; readonly at: number };

export const isNumbered = (event: WorkspaceEvent): event is NumberedEvent =>
  event.seq !== undefined && event.at !== undefined;

export interface Gatherings {
  /** False if the schedule gathers nothing, so that the event fires alone. */
  add(schedule: EventSchedule, event: WorkspaceEvent): boolean;
  /** Removes the gatherings that are over, and returns each as one event. */
  take(now: number): readonly { readonly schedule: string; readonly event: WorkspaceEvent }[];
  /** The number of the last event before those that are still being gathered. After a crash, reading continues from there. */
  lastSettled(seen: number): number;
  /** When the next gathering is over; null if there is none. */
  readonly nextAt: () => number | null;
}

const firstIds = (ids: readonly string[]): readonly string[] => [...new Set(ids)].slice(0, maxIds);

/** Merges several events into one. Its id is made of that of the first. */
export function mergeEvents(events: readonly [NumberedEvent, ...NumberedEvent[]]): WorkspaceEvent {
  const [first] = events;
  const paths = firstIds(events.flatMap((event) => event.paths ?? []));
  const ids = events.flatMap(
    ({ payload }) => (payload as { readonly content_ids?: readonly string[] } | null)?.content_ids ?? [],
  );
  const times = events.map(({ at }) => at);
  const since = times.reduce((time, other) => Math.min(time, other));
  const until = times.reduce((time, other) => Math.max(time, other));
  return {
    id: `gather/${first.id}`,
    name: [...new Set(events.map(({ name }) => name))].join(', '),
    payload: { events: events.length, since, until, paths, content_ids: firstIds(ids) },
    at: until,
    paths,
    covers: computeRange(events),
  };
}

export function computeRange(events: readonly WorkspaceEvent[]): EventRange {
  const sequenceNumbers = events.flatMap((event) => (event.import === undefined ? [event.seq ?? -1] : []));
  return {
    from: sequenceNumbers.reduce((time, other) => Math.min(time, other), Number.MAX_SAFE_INTEGER),
    upTo: sequenceNumbers.reduce((time, other) => Math.max(time, other), -1),
    imports: Object.fromEntries(
      events.flatMap((event) => (event.import === undefined ? [] : [[event.import.id, event.import.upTo]])),
    ),
  };
}

/** The part of the event that no fire covers; null if all of it is covered. */
export function findUncovered(event: WorkspaceEvent, ranges: readonly EventRange[]): WorkspaceEvent | null {
  const { id, seq = -1, import: imported } = event;
  if (imported === undefined)
    return ranges.some(({ from, upTo }) => from <= seq && seq <= upTo) ? null : event;
  const coveredUpTo = Math.max(-1, ...ranges.flatMap(({ imports }) => imports[imported.id] ?? []));
  if (coveredUpTo >= imported.upTo) return null;
  return coveredUpTo === -1 ? event : { ...event, id: `${id}+${coveredUpTo}` };
}

const endOf = ({ first, last, gatherMs }: Gathering): number =>
  Math.min(last + gatherMs, first.at + maxQuietTimes * gatherMs);

export function openGatherings(): Gatherings {
  const activeGatherings = new Map<string, Gathering>();
  return {
    add({ id, gatherMs = 0 }, event) {
      if (gatherMs <= 0 || !isNumbered(event)) return false;
      const gathering = activeGatherings.get(id) ?? {
        schedule: id,
        gatherMs,
        first: event,
        events: [],
        last: event.at,
      };
      activeGatherings.set(id, gathering);
      gathering.events.push(event);
      gathering.last = Math.max(gathering.last, event.at);
      return true;
    },
    take(now) {
      const endedGatherings = [...activeGatherings.values()].filter((gathering) => endOf(gathering) <= now);
      for (const { schedule } of endedGatherings) activeGatherings.delete(schedule);
      return endedGatherings.map(({ schedule, first, events: [, ...more] }) => ({
        schedule,
        event: mergeEvents([first, ...more]),
      }));
    },
    lastSettled: (seen) =>
      Math.min(seen, ...[...activeGatherings.values()].map(({ first }) => first.seq - 1)),
    nextAt() {
      const endTimes = [...activeGatherings.values()].map(endOf);
      return endTimes.length === 0 ? null : Math.min(...endTimes);
    },
  };
}
