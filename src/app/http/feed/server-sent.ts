/**
 * A stream of server-sent events to one reader. It ends when the reader goes, loses the right to listen, or the log
 * ends.
 */

const heartbeatMs = 15_000;
/** How long a stream may go on after its token was revoked. Milliseconds. */
const lookMs = 1_000;
/** Maximum bytes that wait for a slow reader. */
const maxHeld = 256 * 1024;

export interface Outlet {
  /** False: the reader has not taken what was sent. `onRoom` is called when it has. */
  hasRoom(): boolean;
  /** `id`: the reader sends it later as `Last-Event-ID`; null: the event is not stored. `data`: JSON. */
  write(event: { readonly id: string | null; readonly kind: string; readonly data: string }): void;
  /** Sends the end, and closes. */
  end(): void;
  /** Closes without an end event, so that the reader reconnects. */
  close(): void;
}

export interface ServerSent {
  readonly signal: AbortSignal;
  /** False: the reader lost the right to listen. */
  readonly mayListen: () => boolean;
  /** Begins to send. Returns a function that is called when the stream is over. */
  begin(outlet: Outlet): () => void;
  onRoom?(outlet: Outlet): void;
}

const encoder = new TextEncoder();

export function serverSentEvents({ signal, mayListen, begin, onRoom }: ServerSent): Response {
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
          if (!isStillThere(mayListen)) close();
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
        // The stream may have ended at once.
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

/** Where the token can't be looked up, the stream ends as well: the reader comes back, and is asked for it again. */
function isStillThere(look: () => boolean): boolean {
  try {
    return look();
  } catch {
    return false;
  }
}
