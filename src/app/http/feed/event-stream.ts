/** Server-sent events from a log. Each has an id, by which a reader who reconnects continues. */
import { safeJson } from '../../safe-json.ts';
import { serverSentEvents } from './server-sent.ts';
import type { Tail } from './tail.ts';

export interface EventStream<Event, Position> {
  readonly tail: Tail<Event, Position>;
  readonly after: Position;
  readonly signal: AbortSignal;
  readonly idOf: (event: Event) => string;
  readonly kindOf: (event: Event) => string;
  readonly dataOf: (event: Event) => unknown;
  /** False: this reader must not get the event. */
  readonly isFor?: (event: Event) => boolean;
  /** True: no event follows, and the stream ends with an event named `end`. */
  readonly isLast?: (event: Event) => boolean;
  /** Whether the reader still has the right to listen. */
  readonly mayListen: () => boolean;
  /** True: no events will come, and the stream ends at once. */
  readonly over?: boolean;
}

export function streamOf<Event, Position>(options: EventStream<Event, Position>): Response {
  const { tail, after, signal, idOf, kindOf, dataOf, mayListen } = options;
  const { isFor = () => true, isLast = () => false, over = false } = options;
  return serverSentEvents({
    signal,
    mayListen,
    begin(outlet) {
      if (over) {
        outlet.end();
        return () => {};
      }
      return tail.follow(after, {
        isReady: outlet.hasRoom,
        give(events) {
          for (const one of events)
            if (isFor(one)) outlet.write({ id: idOf(one), kind: kindOf(one), data: safeJson(dataOf(one)) });
          if (events.some(isLast)) outlet.end();
        },
        fail: outlet.close,
      });
    },
  });
}
