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

export interface Tail<Event, Place = number> {
  /** Gives every event after that position, in order and once, until the returned function is called. */
  follow(after: Place, reader: Reader<Event>): () => void;
}

export interface TailedLog<Event, Place> {
  /** Returns some of the events after `after`; an empty list at the end. */
  read(after: Place): readonly Event[] | Promise<readonly Event[]>;
  placeOf(event: Event): Place;
}

const pauseMs = 50;

/** Positions are compared by identity. */
export function openTail<Event, Place = number>(
  { read, placeOf }: TailedLog<Event, Place>,
  everyMs = pauseMs,
): Tail<Event, Place> {
  interface Standing {
    at: Place;
    readonly reader: Reader<Event>;
  }
  const readers = new Set<Standing>();
  let timer: ReturnType<typeof setTimeout> | null = null;

  async function look(): Promise<void> {
    const places = Map.groupBy(
      [...readers].filter(({ reader }) => reader.isReady()),
      ({ at }) => at,
    );
    for (const [at, standing] of places) {
      try {
        const events = await read(at);
        const last = events.at(-1);
        if (last === undefined) continue;
        const next = placeOf(last);
        for (const one of standing) {
          if (!readers.has(one)) continue;
          one.at = next;
          one.reader.give(events);
        }
      } catch (thrown) {
        for (const one of standing) if (readers.delete(one)) one.reader.fail(thrown);
      }
    }
    timer = null;
    arm(everyMs);
  }

  function arm(ms: number): void {
    if (readers.size === 0 || timer !== null) return;
    timer = setTimeout(() => void look(), ms);
  }

  return {
    follow(after, reader) {
      const standing: Standing = { at: after, reader };
      readers.add(standing);
      arm(0);
      return () => void readers.delete(standing);
    },
  };
}
