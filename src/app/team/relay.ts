/** Sends the events of a host's conversations to the fronts, in order; stored events are sent after they are stored. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isSondeError, messageOf } from '../../core/index.ts';
import type { HostSeat } from '../../store/index.ts';
import type { AgentEventListener } from '../agent/channel/channel-client.ts';
import { addChanges, endsText } from '../http/threads/thread-audience.ts';

export interface RelayOptions {
  readonly seat: HostSeat;
  /** The pages and blocks that a write changed, before and after. */
  readonly changesOf: (write: string) => readonly object[];
  readonly tell: (line: string) => void;
}

export interface Relay {
  readonly onEvent: AgentEventListener;
  /** Resolves when all events so far were sent. */
  waitUntilSent(): Promise<void>;
}

/** Characters of text that are sent at once; a notification must be short. */
const maxPiece = 1_000;
const pauseMs = 500;

interface QueuedEvent {
  readonly thread: string;
  readonly request: string;
  readonly event: { readonly kind: string };
  readonly isKept: boolean;
}

export function openRelay({ seat, changesOf, tell }: RelayOptions): Relay {
  const queue: QueuedEvent[] = [];
  /** For each unfinished answer, how many characters were sent. */
  const lengths = new Map<string, number>();
  let sending: Promise<void> | null = null;

  function add(item: QueuedEvent): void {
    queue.push(item);
    sending ??= send().finally(() => {
      sending = null;
    });
  }

  async function send(): Promise<void> {
    for (let item = queue.shift(); item !== undefined; item = queue.shift())
      await (item.isKept
        ? store(item)
        : seat.sendEvent(item.thread, item.request, item.event).catch(() => {}));
  }

  /** Retries until the event is stored, or another host has taken over. */
  async function store({ thread, request, event }: QueuedEvent): Promise<void> {
    while (!seat.lost.aborted) {
      try {
        return await seat.keepEvent(thread, request, event);
      } catch (thrown) {
        if (isSondeError(thrown, 'lease_lost')) return;
        tell(`an event of ${thread} waits: ${messageOf(thrown)}`);
        await sleep(pauseMs);
      }
    }
  }

  function passText(thread: string, request: string, piece: string): void {
    const from = lengths.get(thread) ?? 0;
    lengths.set(thread, from + piece.length);
    for (let at = 0; at < piece.length; at += maxPiece) {
      const event = { kind: 'text', piece: piece.slice(at, at + maxPiece), from: from + at };
      add({ thread, request, event, isKept: false });
    }
  }

  return {
    onEvent(thread, event, request) {
      if (event.kind === 'text') return passText(thread, request, event.piece);
      if (event.kind === 'budget') return add({ thread, request, event, isKept: false });
      if (endsText(event.kind)) lengths.delete(thread);
      add({ thread, request, event: addChanges(event, changesOf), isKept: true });
    },
    async waitUntilSent() {
      while (sending !== null) await sending;
    },
  };
}
