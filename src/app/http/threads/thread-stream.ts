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
  readonly maskForReader: (value: unknown) => unknown;
  readonly mayListen: () => boolean;
}

export function streamThread({
  log,
  thread,
  after,
  signal,
  maskForReader,
  mayListen,
}: ThreadStream): Response {
  let lastSeq = after;
  /** True: the reader has to get events from the log first, because it has just connected or was too slow. */
  let isBehind = true;
  let isReading = false;
  /** True: an event arrived while the log was being read. */
  let hasMissed = false;

  function write(outlet: Outlet, listenedEvent: ListenedEvent): void {
    const { seq, event } = listenedEvent;
    const data = seq === null ? { event } : { seq, at: listenedEvent.at, event };
    outlet.write({
      id: seq === null ? null : String(seq),
      kind: event.kind,
      data: safeJson(maskForReader(data)),
    });
    if (seq !== null) lastSeq = seq;
  }

  async function readNew(outlet: Outlet): Promise<void> {
    while (isBehind && !signal.aborted && outlet.hasRoom()) {
      hasMissed = false;
      const events = await log.after(thread, lastSeq);
      for (const threadEvent of events) write(outlet, threadEvent);
      if (events.length > 0 || hasMissed) continue;
      isBehind = false;
      const currentText = log.currentText(thread);
      if (currentText !== null) write(outlet, currentText);
    }
  }

  /** If the log can't be read, the stream ends and the client reconnects. */
  function catchUp(outlet: Outlet): void {
    if (isReading) return;
    isReading = true;
    readNew(outlet).then(
      () => {
        isReading = false;
        // The reader may have read what was sent since the last check.
        if (isBehind && outlet.hasRoom()) catchUp(outlet);
      },
      () => outlet.close(),
    );
  }

  return serverSentEvents({
    signal,
    mayListen,
    begin(outlet) {
      const stopListening = log.listen(thread, (listenedEvent) => {
        hasMissed = true;
        if (listenedEvent.seq !== null && listenedEvent.seq <= lastSeq) return;
        isBehind ||= !outlet.hasRoom() || (listenedEvent.seq !== null && listenedEvent.seq > lastSeq + 1);
        if (!isBehind) write(outlet, listenedEvent);
        else catchUp(outlet);
      });
      catchUp(outlet);
      return stopListening;
    },
    onRoom: catchUp,
  });
}
