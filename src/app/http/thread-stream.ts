/** A conversation as server-sent events: what was kept after the last that the reader has, and then as it happens. */
import { safeJson } from '../safe-json.ts';
import { heartbeatMs, lookMs } from './event-stream.ts';
import type { ThreadLog, Told } from './thread-log.ts';

export interface ThreadStream {
  readonly log: ThreadLog;
  readonly thread: string;
  readonly after: number;
  readonly signal: AbortSignal;
  /** What the reader may see of it. */
  readonly shown: (value: unknown) => unknown;
  readonly stillThere: () => boolean;
}

const encoder = new TextEncoder();

const lineOf = (told: Told, shown: (value: unknown) => unknown): Uint8Array => {
  const { seq, event } = told;
  const data = seq === null ? { event } : { seq, at: told.at, event };
  const id = seq === null ? '' : `id: ${seq}\n`;
  return encoder.encode(`${id}event: ${event.kind}\ndata: ${safeJson(shown(data))}\n\n`);
};

export function streamThread({ log, thread, after, signal, shown, stillThere }: ThreadStream): Response {
  let at = after;
  /** Has not taken what was given: reads it out of the log once there is room. */
  let behind = true;
  let stop = (): void => {};
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const close = (): void => {
          stop();
          try {
            controller.close();
          } catch {
            // The reader has gone.
          }
        };
        controller.enqueue(encoder.encode(': there\n\n'));
        const off = log.listen(thread, (told) => {
          behind ||= (controller.desiredSize ?? 0) <= 0;
          if (behind) return;
          controller.enqueue(lineOf(told, shown));
          if (told.seq !== null) at = told.seq;
        });
        const heart = setInterval(() => {
          if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(': there\n\n'));
        }, heartbeatMs);
        const look = setInterval(() => {
          if (!stillThere()) close();
        }, lookMs);
        for (const timer of [heart, look]) timer.unref();
        stop = () => {
          off();
          clearInterval(heart);
          clearInterval(look);
          signal.removeEventListener('abort', close);
        };
        signal.addEventListener('abort', close, { once: true });
        if (signal.aborted) return close();
        catchUp(controller);
      },
      pull: (controller) => catchUp(controller),
      cancel: () => stop(),
    },
    // A reader who stalls holds this much, and no more.
    new ByteLengthQueuingStrategy({ highWaterMark: 256 * 1024 }),
  );
  return new Response(stream, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
  });

  function catchUp(controller: ReadableStreamDefaultController<Uint8Array>): void {
    while (behind && (controller.desiredSize ?? 0) > 0) {
      const events = log.after(thread, at);
      for (const one of events) controller.enqueue(lineOf(one, shown));
      at = events.at(-1)?.seq ?? at;
      if (events.length > 0) continue;
      behind = false;
      const spoken = log.spoken(thread);
      if (spoken !== null) controller.enqueue(lineOf(spoken, shown));
    }
  }
}
