/** Server-sent events from a log. Each has an id, by which a reader who reconnects continues. */
import { safeJson } from '../safe-json.ts';
import { serverSentEvents } from './server-sent.ts';
import type { Tail } from './tail.ts';

export interface EventStream<Event, Place> {
  readonly tail: Tail<Event, Place>;
  readonly after: Place;
  readonly signal: AbortSignal;
  readonly idOf: (event: Event) => string;
  readonly kindOf: (event: Event) => string;
  readonly dataOf: (event: Event) => unknown;
  /** False: this reader must not get the event. */
  readonly isFor?: (event: Event) => boolean;
  /** True: no event follows, and the stream ends with an event named `end`. */
  readonly isLast?: (event: Event) => boolean;
  /** False: the reader lost the right to listen. */
  readonly stillThere: () => boolean;
  /** True: no events will come, and the stream ends at once. */
  readonly over?: boolean;
}

export function streamOf<Event, Place>(options: EventStream<Event, Place>): Response {
  const { tail, after, signal, idOf, kindOf, dataOf, stillThere } = options;
  const { isFor = () => true, isLast = () => false, over = false } = options;
  return serverSentEvents({
    signal,
    stillThere,
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
