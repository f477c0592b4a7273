/** Sends the events of a log as server-sent events. Each has an id, after which a reconnecting reader continues. */
import { safeJson } from '../../safe-json.ts';
import { serverSentEvents } from './server-sent.ts';
import type { Tail } from './tail.ts';

export interface EventStream<Event, Position> {
  readonly tail: Tail<Event, Position>;
  readonly after: Position;
  readonly signal: AbortSignal;
  readonly toId: (event: Event) => string;
  readonly toKind: (event: Event) => string;
  readonly toData: (event: Event) => unknown;
  /** False: this reader must not get the event. */
  readonly isVisible?: (event: Event) => boolean;
  /** True: no event follows, and the stream ends with an event named `end`. */
  readonly isLast?: (event: Event) => boolean;
  /** Whether the reader still has the right to listen. */
  readonly mayListen: () => boolean;
  /** True: no events will come, and the stream ends at once. */
  readonly isOver?: boolean;
}

export function createEventStream<Event, Position>(options: EventStream<Event, Position>): Response {
  const { tail, after, signal, toId, toKind, toData, mayListen } = options;
  const { isVisible = () => true, isLast = () => false, isOver = false } = options;
  return serverSentEvents({
    signal,
    mayListen,
    begin(outlet) {
      if (isOver) {
        outlet.end();
        return () => {};
      }
      return tail.follow(after, {
        isReady: outlet.hasRoom,
        give(events) {
          for (const event of events)
            if (isVisible(event))
              outlet.write({ id: toId(event), kind: toKind(event), data: safeJson(toData(event)) });
          if (events.some(isLast)) outlet.end();
        },
        fail: outlet.close,
      });
    },
  });
}
