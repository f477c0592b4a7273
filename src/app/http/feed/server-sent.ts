/**
 * A stream of server-sent events to one reader. It ends when the reader goes, loses the right to listen, or the log
 * ends.
 */

const heartbeatMs = 15_000;
/** How long a stream may go on after its token was revoked. Milliseconds. */
const accessCheckMs = 1_000;
/** Maximum bytes that wait for a slow reader. */
const maxBuffered = 256 * 1024;

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

export interface EventStreamSource {
  readonly signal: AbortSignal;
  /** False: the reader lost the right to listen. */
  readonly mayListen: () => boolean;
  /** Begins to send. Returns a function that is called when the stream is over. */
  begin(outlet: Outlet): () => void;
  onRoom?(outlet: Outlet): void;
}

const encoder = new TextEncoder();

export function serverSentEvents({ signal, mayListen, begin, onRoom }: EventStreamSource): Response {
  let isOver = false;
  let stop = (): void => {};
  let outlet: Outlet;
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const enqueue = (text: string): void => {
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
            enqueue(`${id === null ? '' : `id: ${id}\n`}event: ${kind}\ndata: ${data}\n\n`),
          end() {
            enqueue('event: end\ndata: {}\n\n');
            close();
          },
          close,
        };
        enqueue(': there\n\n');
        const heartbeat = setInterval(() => {
          if (outlet.hasRoom()) enqueue(': there\n\n');
        }, heartbeatMs);
        const accessCheck = setInterval(() => {
          if (!isAllowed(mayListen)) close();
        }, accessCheckMs);
        for (const timer of [heartbeat, accessCheck]) timer.unref();
        let endSource = (): void => {};
        stop = () => {
          isOver = true;
          endSource();
          clearInterval(heartbeat);
          clearInterval(accessCheck);
          signal.removeEventListener('abort', close);
        };
        signal.addEventListener('abort', close, { once: true });
        if (signal.aborted) return close();
        endSource = begin(outlet);
        // The stream may have ended at once.
        if (isOver) endSource();
      },
      pull() {
        onRoom?.(outlet);
      },
      cancel: () => stop(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: maxBuffered }),
  );
  return new Response(stream, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
  });
}

/** False also if the check fails: the stream ends, and the reader reconnects with its token. */
function isAllowed(mayListen: () => boolean): boolean {
  try {
    return mayListen();
  } catch {
    return false;
  }
}
