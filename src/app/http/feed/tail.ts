/**
 * Follows a log that other processes write. Each reader has a position, and gets the events after it. Readers at the
 * same position share one read. A reader that is not ready gets its events later, since the log keeps them.
 */
export interface Reader<Event> {
  /** False: the reader can't take events now, so none are read for it. */
  isReady(): boolean;
  give(events: readonly Event[]): void;
  /** Called when reading the log failed. The reader gets nothing more. */
  fail(thrown: unknown): void;
}

export interface Tail<Event, Position = number> {
  /** Passes each event after that position to the reader once and in order, until the returned function is called. */
  follow(after: Position, reader: Reader<Event>): () => void;
}

export interface TailedLog<Event, Position> {
  /** Returns some of the events after `after`; an empty list at the end. */
  read(after: Position): readonly Event[] | Promise<readonly Event[]>;
  positionOf(event: Event): Position;
}

const pauseMs = 50;

/** Readers share a read if their positions are equal by `===`, so positions must be primitive values. */
export function openTail<Event, Position = number>(
  { read, positionOf }: TailedLog<Event, Position>,
  everyMs = pauseMs,
): Tail<Event, Position> {
  interface Follower {
    position: Position;
    readonly reader: Reader<Event>;
  }
  const readers = new Set<Follower>();
  let timer: ReturnType<typeof setTimeout> | null = null;

  async function readAll(): Promise<void> {
    const followersByPosition = Map.groupBy(
      [...readers].filter(({ reader }) => reader.isReady()),
      ({ position }) => position,
    );
    for (const [position, followers] of followersByPosition) {
      try {
        const events = await read(position);
        const lastEvent = events.at(-1);
        if (lastEvent === undefined) continue;
        const nextPosition = positionOf(lastEvent);
        for (const follower of followers) {
          if (!readers.has(follower)) continue;
          follower.position = nextPosition;
          follower.reader.give(events);
        }
      } catch (thrown) {
        for (const follower of followers) if (readers.delete(follower)) follower.reader.fail(thrown);
      }
    }
    timer = null;
    schedule(everyMs);
  }

  function schedule(ms: number): void {
    if (readers.size === 0 || timer !== null) return;
    timer = setTimeout(() => void readAll(), ms);
  }

  return {
    follow(after, reader) {
      const newFollower: Follower = { position: after, reader };
      readers.add(newFollower);
      schedule(0);
      return () => void readers.delete(newFollower);
    },
  };
}
