/**
 * Following a log that other processes write: each reader stands somewhere in it, and is given what comes after. Readers
 * at the same place are read for once. Who is not ready stays where he is, and misses nothing: the log keeps it.
 */
export interface Reader<Event> {
  /** False: not now, the events are given again later. */
  give(events: readonly Event[]): boolean;
  /** The log cannot be read any more. */
  fail(thrown: unknown): void;
}

export interface Tail<Event> {
  /** Everything after that number, in order, each once, until the function it returns is called. */
  follow(after: number, reader: Reader<Event>): () => void;
}

export function openTail<Event extends { readonly seq: number }>(
  read: (after: number) => readonly Event[] | Promise<readonly Event[]>,
  everyMs = 50,
): Tail<Event> {
  interface Standing {
    at: number;
    readonly reader: Reader<Event>;
  }
  const readers = new Set<Standing>();
  let timer: ReturnType<typeof setTimeout> | null = null;

  async function look(): Promise<void> {
    const places = Map.groupBy(readers, ({ at }) => at);
    for (const [at, standing] of places) {
      try {
        const events = await read(at);
        const last = events.at(-1);
        if (last === undefined) continue;
        for (const one of standing) if (readers.has(one) && one.reader.give(events)) one.at = last.seq;
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
