/**
 * A conversation as server-sent events: stored events after the last that the reader has, and then new ones as they
 * happen.
 */
import { safeJson } from '../safe-json.ts';
import { type Outlet, serverSentEvents } from './server-sent.ts';
import type { ThreadLog, Told } from './thread-log.ts';

export interface ThreadStream {
  readonly log: ThreadLog;
  readonly thread: string;
  readonly after: number;
  readonly signal: AbortSignal;
  /** The value as this reader may see it. */
  readonly shown: (value: unknown) => unknown;
  readonly stillThere: () => boolean;
}

export function streamThread({ log, thread, after, signal, shown, stillThere }: ThreadStream): Response {
  let at = after;
  /** The reader was too slow: it gets the events from the log once there is room. */
  let behind = true;

  function write(outlet: Outlet, told: Told): void {
    const { seq, event } = told;
    const data = seq === null ? { event } : { seq, at: told.at, event };
    outlet.write({ id: seq === null ? null : String(seq), kind: event.kind, data: safeJson(shown(data)) });
    if (seq !== null) at = seq;
  }

  function catchUp(outlet: Outlet): void {
    while (behind && outlet.hasRoom()) {
      const events = log.after(thread, at);
      for (const one of events) write(outlet, one);
      if (events.length > 0) continue;
      behind = false;
      const spoken = log.currentWords(thread);
      if (spoken !== null) write(outlet, spoken);
    }
  }

  return serverSentEvents({
    signal,
    stillThere,
    begin(outlet) {
      const off = log.listen(thread, (told) => {
        behind ||= !outlet.hasRoom();
        if (!behind) write(outlet, told);
      });
      catchUp(outlet);
      return off;
    },
    onRoom: catchUp,
  });
}
