/** Sends the events of a host's conversations to the fronts, in order. Events to be stored are stored first. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isSondeError, messageOf } from '../../core/index.ts';
import type { HostSeat } from '../../store/index.ts';
import type { AgentEventListener } from '../agent/channel/channel-client.ts';
import { addChanges, endsText } from '../http/threads/thread-audience.ts';

export interface RelayOptions {
  readonly seat: HostSeat;
  /** Returns the pages and blocks that a write changed, with their texts before and after. */
  readonly changesOf: (write: string) => readonly object[];
  readonly tell: (line: string) => void;
}

export interface Relay {
  readonly onEvent: AgentEventListener;
  /** Resolves when all events so far were sent. */
  waitUntilSent(): Promise<void>;
}

/** Maximum characters of text in one notification, since the size of a notification is limited. */
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
  /** For each thread with an unfinished answer, how many characters of it were queued. */
  const sentLengths = new Map<string, number>();
  let currentSending: Promise<void> | null = null;

  function enqueue(item: QueuedEvent): void {
    queue.push(item);
    currentSending ??= sendQueued().finally(() => {
      currentSending = null;
    });
  }

  async function sendQueued(): Promise<void> {
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
    const sentLength = sentLengths.get(thread) ?? 0;
    sentLengths.set(thread, sentLength + piece.length);
    for (let offset = 0; offset < piece.length; offset += maxPiece) {
      const event = {
        kind: 'text',
        piece: piece.slice(offset, offset + maxPiece),
        from: sentLength + offset,
      };
      enqueue({ thread, request, event, isKept: false });
    }
  }

  return {
    onEvent(thread, event, request) {
      if (event.kind === 'text') return passText(thread, request, event.piece);
      if (event.kind === 'budget') return enqueue({ thread, request, event, isKept: false });
      if (endsText(event.kind)) sentLengths.delete(thread);
      enqueue({ thread, request, event: addChanges(event, changesOf), isKept: true });
    },
    async waitUntilSent() {
      while (currentSending !== null) await currentSending;
    },
  };
}
