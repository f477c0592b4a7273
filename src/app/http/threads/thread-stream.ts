/**
 * A conversation as server-sent events: stored events after the last that the reader has, and then new ones as they
 * happen.
 */
import { safeJson } from '../../safe-json.ts';
import { type Outlet, serverSentEvents } from '../feed/server-sent.ts';
import type { ListenedEvent, ThreadLog } from './thread-log.ts';

export interface ThreadStream {
  readonly log: ThreadLog;
  readonly thread: string;
  readonly after: number;
  readonly signal: AbortSignal;
  /** The value as this reader may see it. */
  readonly shown: (value: unknown) => unknown;
  readonly mayListen: () => boolean;
}

export function streamThread({ log, thread, after, signal, shown, mayListen }: ThreadStream): Response {
  let at = after;
  /** The reader was too slow: it gets the events from the log once there is room. */
  let behind = true;
  let reading = false;
  /** Whether an event came while the log was read. */
  let missed = false;

  function write(outlet: Outlet, listenedEvent: ListenedEvent): void {
    const { seq, event } = listenedEvent;
    const data = seq === null ? { event } : { seq, at: listenedEvent.at, event };
    outlet.write({ id: seq === null ? null : String(seq), kind: event.kind, data: safeJson(shown(data)) });
    if (seq !== null) at = seq;
  }

  async function readOn(outlet: Outlet): Promise<void> {
    while (behind && !signal.aborted && outlet.hasRoom()) {
      missed = false;
      const events = await log.after(thread, at);
      for (const threadEvent of events) write(outlet, threadEvent);
      if (events.length > 0 || missed) continue;
      behind = false;
      const spoken = log.currentWords(thread);
      if (spoken !== null) write(outlet, spoken);
    }
  }

  /** If the log can't be read, the stream ends and the client reconnects. */
  function catchUp(outlet: Outlet): void {
    if (reading) return;
    reading = true;
    readOn(outlet).then(
      () => {
        reading = false;
        // The reader may have got room since the last check.
        if (behind && outlet.hasRoom()) catchUp(outlet);
      },
      () => outlet.close(),
    );
  }

  return serverSentEvents({
    signal,
    mayListen,
    begin(outlet) {
      const off = log.listen(thread, (listenedEvent) => {
        missed = true;
        if (listenedEvent.seq !== null && listenedEvent.seq <= at) return;
        behind ||= !outlet.hasRoom() || (listenedEvent.seq !== null && listenedEvent.seq > at + 1);
        if (!behind) write(outlet, listenedEvent);
        else catchUp(outlet);
      });
      catchUp(outlet);
      return off;
    },
    onRoom: catchUp,
  });
}
