/** Passes events of conversations, whose turns run on workers, to the listeners of a front. */
import type { HostChannel, HostNotice } from '../../store/index.ts';
import type { AgentEvent } from '../agent/channel/channel.ts';
import type { AgentEventListener } from '../agent/channel/channel-client.ts';
import type { ThreadEvent } from '../http/records.ts';
import { createThreadListeners, endsText } from '../http/threads/thread-audience.ts';
import type { ListenedEvent, ThreadLog } from '../http/threads/thread-log.ts';

export interface FrontEvents {
  readonly log: ThreadLog;
  onEvent(listener: AgentEventListener): () => void;
  close(): void;
}

/** Maximum events that are read at once. */
const maxEvents = 500;
/** Interval between look-ups of stored events whose notification was lost. Milliseconds. */
const lookMs = 1_000;

export function frontEvents(hostChannel: Pick<HostChannel, 'readEvents' | 'listen'>): FrontEvents {
  const listeners = createThreadListeners();
  const eventListeners = new Set<AgentEventListener>();
  /** For each thread, the number of the last event that its listeners got. */
  const lastTold = new Map<string, number>();
  const readings = new Map<string, Promise<void>>();

  function tell(thread: string, request: string, event: AgentEvent, listenedEvent: ListenedEvent): void {
    listeners.notify(thread, request, listenedEvent);
    for (const listener of eventListeners) listener(thread, event, request);
  }

  async function readNew(thread: string): Promise<void> {
    for (;;) {
      const events = await hostChannel.readEvents(thread, lastTold.get(thread) ?? 0, maxEvents);
      for (const { seq, at, request, event } of events) {
        lastTold.set(thread, seq);
        if (endsText(event.kind)) listeners.endText(thread);
        tell(thread, request, event as AgentEvent, { seq, at, event });
      }
      if (events.length < maxEvents) return;
    }
  }

  /** Reads the new events of a thread after the reads that were scheduled before. */
  function scheduleRead(thread: string): void {
    const previousReading = readings.get(thread) ?? Promise.resolve();
    const nextReading = previousReading.then(() => readNew(thread)).catch(() => {});
    readings.set(thread, nextReading);
    void nextReading.then(() => {
      if (readings.get(thread) === nextReading) readings.delete(thread);
    });
  }

  function receive(hostNotice: HostNotice): void {
    switch (hostNotice.kind) {
      case 'kept':
        if ((lastTold.get(hostNotice.thread) ?? 0) >= hostNotice.seq) return;
        if (!lastTold.has(hostNotice.thread)) lastTold.set(hostNotice.thread, hostNotice.seq - 1);
        scheduleRead(hostNotice.thread);
        return;
      case 'passing': {
        const { thread, request } = hostNotice;
        const event = hostNotice.event as AgentEvent & { readonly from?: number };
        if (event.kind === 'text') listeners.addText(thread, event.piece, event.from ?? Number.NaN);
        tell(thread, request, event, { seq: null, event });
        return;
      }
      case 'missed':
        for (const thread of lastTold.keys()) scheduleRead(thread);
    }
  }

  const stopListening = hostChannel.listen(receive);
  // Finds events whose notification was lost.
  const lookTimer = setInterval(() => {
    for (const thread of listeners.threads()) if (lastTold.has(thread)) scheduleRead(thread);
  }, lookMs);

  return {
    log: {
      async after(thread, seq) {
        const events = await hostChannel.readEvents(thread, seq, maxEvents);
        const lastRead = events.at(-1)?.seq ?? seq;
        if (!lastTold.has(thread)) lastTold.set(thread, lastRead);
        return events.map(({ seq: n, at, event }): ThreadEvent => ({ seq: n, at, event }));
      },
      currentText: listeners.currentText,
      listen: listeners.listen,
    },
    onEvent(listener) {
      eventListeners.add(listener);
      return () => eventListeners.delete(listener);
    },
    close() {
      clearInterval(lookTimer);
      stopListening();
    },
  };
}
