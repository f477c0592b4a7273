/** A stream of server-sent events to one reader: it lives until he goes, may not listen any more, or is told the end. */

const heartbeatMs = 15_000;
/** How long a token that was taken away still hears something. */
const lookMs = 1_000;
/** A reader who stalls holds this much, and no more. Bytes. */
const maxHeld = 256 * 1024;

export interface Outlet {
  /** False: the reader has not taken what he was given; `onRoom` is called once he has. */
  hasRoom(): boolean;
  /** `id`: what the reader gives as `Last-Event-ID` later; null: nothing is kept of it. `data`: JSON. */
  write(event: { readonly id: string | null; readonly kind: string; readonly data: string }): void;
  /** Tells the end, and ends. */
  end(): void;
  /** Ends without a word: the reader comes again. */
  close(): void;
}

export interface ServerSent {
  readonly signal: AbortSignal;
  /** False: whoever listens may not any more. */
  readonly stillThere: () => boolean;
  /** Returns what is called when the stream is over. */
  begin(outlet: Outlet): () => void;
  onRoom?(outlet: Outlet): void;
}

const encoder = new TextEncoder();

export function serverSentEvents({ signal, stillThere, begin, onRoom }: ServerSent): Response {
  let isOver = false;
  let stop = (): void => {};
  let outlet: Outlet;
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const put = (text: string): void => {
          if (!isOver) controller.enqueue(encoder.encode(text));
        };
        const close = (): void => {
          if (isOver) return;
          stop();
          try {
            controller.close();
          } catch {
            // The reader has gone.
          }
        };
        outlet = {
          hasRoom: () => (controller.desiredSize ?? 0) > 0,
          write: ({ id, kind, data }) =>
            put(`${id === null ? '' : `id: ${id}\n`}event: ${kind}\ndata: ${data}\n\n`),
          end() {
            put('event: end\ndata: {}\n\n');
            close();
          },
          close,
        };
        put(': there\n\n');
        const heart = setInterval(() => {
          if (outlet.hasRoom()) put(': there\n\n');
        }, heartbeatMs);
        const look = setInterval(() => {
          if (!stillThere()) close();
        }, lookMs);
        for (const timer of [heart, look]) timer.unref();
        let leave = (): void => {};
        stop = () => {
          isOver = true;
          leave();
          clearInterval(heart);
          clearInterval(look);
          signal.removeEventListener('abort', close);
        };
        signal.addEventListener('abort', close, { once: true });
        if (signal.aborted) return close();
        leave = begin(outlet);
        // It may have told the end at once.
        if (isOver) leave();
      },
      pull() {
        onRoom?.(outlet);
      },
      cancel: () => stop(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: maxHeld }),
  );
  return new Response(stream, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
  });
}
