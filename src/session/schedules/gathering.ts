/** Events of the workspace that a schedule waits for: which of them, and those that come close together as one. */
import picomatch from 'picomatch';
import type { Schedule } from '../../store/index.ts';

export interface WorkspaceEvent {
  /** Told apart by it: the same event twice fires once. */
  readonly id: string;
  readonly name: string;
  readonly payload: unknown;
  /** Its number in the log of the workspace; absent: it has none, and is never gathered. */
  readonly seq?: number;
  /** When it happened. Milliseconds since the epoch. */
  readonly at?: number;
  /** Paths of the pages that it touched. */
  readonly paths?: readonly string[];
}

type Waiting = Pick<Schedule, 'id' | 'trigger' | 'paths' | 'gatherMs'>;

/** A stream of edits that never ends is told of all the same, after so many times the quiet that was asked for. */
const maxTimes = 12;
const maxIds = 20;

export function isWaitedFor(
  { trigger, paths }: Pick<Waiting, 'trigger' | 'paths'>,
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
  readonly first: WorkspaceEvent & { readonly seq: number; readonly at: number };
  readonly names: Set<string>;
  readonly paths: Set<string>;
  readonly ids: Set<string>;
  events: number;
  last: number;
}

export interface Gatherings {
  /** False where the schedule gathers nothing: then the event stands by itself. */
  add(schedule: Waiting, event: WorkspaceEvent): boolean;
  /** Those that are over, each as one event. */
  take(now: number): readonly { readonly schedule: string; readonly event: WorkspaceEvent }[];
  /** The last event before all that still gather: whoever goes on after a crash begins there. */
  lastSettled(seen: number): number;
  /** When the next one is over; null for none. */
  readonly nextAt: () => number | null;
}

const endOf = ({ first, last, gatherMs }: Gathering): number =>
  Math.min(last + gatherMs, first.at + maxTimes * gatherMs);

export function gatherings(): Gatherings {
  const open = new Map<string, Gathering>();
  return {
    add({ id, gatherMs = 0 }, event) {
      const { seq, at } = event;
      if (gatherMs <= 0 || seq === undefined || at === undefined) return false;
      const one = open.get(id) ?? {
        ...{ schedule: id, gatherMs, first: { ...event, seq, at }, names: new Set(), paths: new Set() },
        ...{ ids: new Set(), events: 0, last: at },
      };
      open.set(id, one);
      one.events += 1;
      one.last = Math.max(one.last, at);
      one.names.add(event.name);
      for (const path of event.paths ?? []) if (one.paths.size < maxIds) one.paths.add(path);
      const { content_ids = [] } = (event.payload ?? {}) as { readonly content_ids?: readonly string[] };
      for (const content of content_ids) if (one.ids.size < maxIds) one.ids.add(content);
      return true;
    },
    take(now) {
      const over = [...open.values()].filter((one) => endOf(one) <= now);
      for (const { schedule } of over) open.delete(schedule);
      return over.map(({ schedule, first, names, paths, ids, events, last }) => ({
        schedule,
        event: {
          id: `gather/${first.id}`,
          name: [...names].join(', '),
          payload: { events, since: first.at, until: last, paths: [...paths], content_ids: [...ids] },
          at: last,
          paths: [...paths],
        },
      }));
    },
    lastSettled: (seen) => Math.min(seen, ...[...open.values()].map(({ first }) => first.seq - 1)),
    nextAt() {
      const ends = [...open.values()].map(endOf);
      return ends.length === 0 ? null : Math.min(...ends);
    },
  };
}
