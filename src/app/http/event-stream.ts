/** Server-sent events out of a log: each with its number, so that a reader who comes again says where he was. */
import { safeJson } from '../safe-json.ts';
import type { Tail } from './tail.ts';

export const heartbeatMs = 15_000;
/** How long a token that was taken away still hears something. */
export const lookMs = 1_000;

export interface EventStream<Event> {
  readonly tail: Tail<Event>;
  readonly after: number;
  readonly signal: AbortSignal;
  /** Of the event stream: what the reader gives as `Last-Event-ID` later. */
  idOf(event: Event): string;
  kindOf(event: Event): string;
  dataOf(event: Event): unknown;
  /** Nothing comes after it: the stream ends with an event named `end`. */
  isLast(event: Event): boolean;
  /** False: whoever listens may not any more. */
  stillThere(): boolean;
  /** The stream has nothing to follow: it says `end` at once. */
  readonly over?: boolean;
}

const encoder = new TextEncoder();

export function streamOf<Event extends { readonly seq: number }>(options: EventStream<Event>): Response {
  const { tail, after, signal, idOf, kindOf, dataOf, isLast, stillThere, over = false } = options;
  let stop = (): void => {};
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const write = (text: string): void => controller.enqueue(encoder.encode(text));
        const close = (): void => {
          stop();
          try {
            controller.close();
          } catch {
            // The reader has gone.
          }
        };
        const end = (): void => {
          write('event: end\ndata: {}\n\n');
          close();
        };
        write(': there\n\n');
        if (over) return end();
        const unfollow = tail.follow(after, {
          give(events) {
            if ((controller.desiredSize ?? 0) <= 0) return false;
            write(
              events
                .map((one) => `id: ${idOf(one)}\nevent: ${kindOf(one)}\ndata: ${safeJson(dataOf(one))}\n\n`)
                .join(''),
            );
            if (events.some(isLast)) end();
            return true;
          },
          fail: close,
        });
        const heart = setInterval(() => {
          if ((controller.desiredSize ?? 0) > 0) write(': there\n\n');
        }, heartbeatMs);
        const look = setInterval(() => {
          if (!stillThere()) close();
        }, lookMs);
        for (const timer of [heart, look]) timer.unref();
        stop = () => {
          unfollow();
          clearInterval(heart);
          clearInterval(look);
          signal.removeEventListener('abort', close);
        };
        signal.addEventListener('abort', close, { once: true });
        if (signal.aborted) close();
      },
      cancel: () => stop(),
    },
    // A reader who stalls holds this much, and no more.
    new ByteLengthQueuingStrategy({ highWaterMark: 256 * 1024 }),
  );
  return new Response(stream, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
  });
}
