/**
 * Follows a log that other processes write. Each reader has a position, and gets what comes after it. Readers at the
 * same position share one reading. A reader that is not ready loses nothing, since the log stores it.
 */
export interface Reader<Event> {
  /** False: nothing is read for this reader now. */
  isReady(): boolean;
  give(events: readonly Event[]): void;
  /** The log can no longer be read. */
  fail(thrown: unknown): void;
}

export interface Tail<Event, Position = number> {
  /** Gives every event after that position, in order and once, until the returned function is called. */
  follow(after: Position, reader: Reader<Event>): () => void;
}

export interface TailedLog<Event, Position> {
  /** Returns some of the events after `after`; an empty list at the end. */
  read(after: Position): readonly Event[] | Promise<readonly Event[]>;
  positionOf(event: Event): Position;
}

const pauseMs = 50;

/** Positions are compared by identity. */
export function openTail<Event, Position = number>(
  { read, positionOf: placeOf }: TailedLog<Event, Position>,
  everyMs = pauseMs,
): Tail<Event, Position> {
  interface Following {
    position: Position;
    readonly reader: Reader<Event>;
  }
  const readers = new Set<Following>();
  let timer: ReturnType<typeof setTimeout> | null = null;

  async function readAll(): Promise<void> {
    const places = Map.groupBy(
      [...readers].filter(({ reader }) => reader.isReady()),
      ({ position }) => position,
    );
    for (const [position, followers] of places) {
      try {
        const events = await read(position);
        const last = events.at(-1);
        if (last === undefined) continue;
        const next = placeOf(last);
        for (const follower of followers) {
          if (!readers.has(follower)) continue;
          follower.position = next;
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
      const following: Following = { position: after, reader };
      readers.add(following);
      schedule(0);
      return () => void readers.delete(following);
    },
  };
}
