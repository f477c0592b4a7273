/** Events of conversations that run on workers, as a front gets them. */
import type { HostChannel, HostNotice } from '../../store/index.ts';
import type { AgentEvent } from '../agent/channel/channel.ts';
import type { AgentEventListener } from '../agent/channel/channel-client.ts';
import type { ThreadEvent } from '../http/records.ts';
import { endsText, openAudience } from '../http/threads/thread-audience.ts';
import type { ListenedEvent, ThreadLog } from '../http/threads/thread-log.ts';

export interface FrontEvents {
  readonly log: ThreadLog;
  onEvent(heard: AgentEventListener): () => void;
  close(): void;
}

/** Events that are read at once. */
const maxEvents = 500;
/** How often events are looked up that a notification may have missed. Milliseconds. */
const lookMs = 1_000;

export function frontEvents(hostChannel: Pick<HostChannel, 'readEvents' | 'listen'>): FrontEvents {
  const audience = openAudience();
  const heardBy = new Set<AgentEventListener>();
  /** The last event of each thread that was told here. */
  const told = new Map<string, number>();
  const reading = new Map<string, Promise<void>>();

  function tell(thread: string, request: string, event: AgentEvent, listenedEvent: ListenedEvent): void {
    audience.tell(thread, request, listenedEvent);
    for (const heard of heardBy) heard(thread, event, request);
  }

  async function readOn(thread: string): Promise<void> {
    for (;;) {
      const events = await hostChannel.readEvents(thread, told.get(thread) ?? 0, maxEvents);
      for (const { seq, at, request, event } of events) {
        told.set(thread, seq);
        if (endsText(event.kind)) audience.endText(thread);
        tell(thread, request, event as AgentEvent, { seq, at, event });
      }
      if (events.length < maxEvents) return;
    }
  }

  /** Only one read at a time, followed by another if events arrived meanwhile. */
  function read(thread: string): void {
    const before = reading.get(thread) ?? Promise.resolve();
    const now = before.then(() => readOn(thread)).catch(() => {});
    reading.set(thread, now);
    void now.then(() => {
      if (reading.get(thread) === now) reading.delete(thread);
    });
  }

  function hear(hostNotice: HostNotice): void {
    switch (hostNotice.kind) {
      case 'kept':
        if ((told.get(hostNotice.thread) ?? 0) >= hostNotice.seq) return;
        if (!told.has(hostNotice.thread)) told.set(hostNotice.thread, hostNotice.seq - 1);
        read(hostNotice.thread);
        return;
      case 'passing': {
        const { thread, request } = hostNotice;
        const event = hostNotice.event as AgentEvent & { readonly from?: number };
        if (event.kind === 'text') audience.addText(thread, event.piece, event.from ?? Number.NaN);
        tell(thread, request, event, { seq: null, event });
        return;
      }
      case 'missed':
        for (const thread of told.keys()) read(thread);
    }
  }

  const off = hostChannel.listen(hear);
  // A word that was lost on the way costs no reader more than this.
  const looking = setInterval(() => {
    for (const thread of audience.threads()) if (told.has(thread)) read(thread);
  }, lookMs);

  return {
    log: {
      async after(thread, seq) {
        const events = await hostChannel.readEvents(thread, seq, maxEvents);
        const last = events.at(-1)?.seq ?? seq;
        if (!told.has(thread)) told.set(thread, last);
        return events.map(({ seq: n, at, event }): ThreadEvent => ({ seq: n, at, event }));
      },
      currentWords: audience.currentWords,
      listen: audience.listen,
    },
    onEvent(heard) {
      heardBy.add(heard);
      return () => heardBy.delete(heard);
    },
    close() {
      clearInterval(looking);
      off();
    },
  };
}
