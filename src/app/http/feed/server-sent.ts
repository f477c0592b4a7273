/**
 * A stream of server-sent events to one reader. It ends when the reader goes, loses the right to listen, or the log
 * ends.
 */

const heartbeatMs = 15_000;
/** Interval between checks whether the token is still valid. Milliseconds. */
const accessCheckMs = 1_000;
/** Maximum bytes that wait for a slow reader. */
const maxBuffered = 256 * 1024;

export interface Outlet {
  /** False: too many bytes wait for the reader. `onRoom` is called when it has read them. */
  hasRoom(): boolean;
  /** `id`: the reader sends it later as `Last-Event-ID`; null: the event is not stored. `data`: JSON. */
  write(event: { readonly id: string | null; readonly kind: string; readonly data: string }): void;
  /** Sends the event `end`, and closes the stream. */
  end(): void;
  /** Closes the stream without the event `end`, so that the reader reconnects. */
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
  let stopStream = (): void => {};
  let outlet: Outlet;
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const enqueue = (text: string): void => {
          if (!isOver) controller.enqueue(encoder.encode(text));
        };
        const close = (): void => {
          if (isOver) return;
          stopStream();
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
        stopStream = () => {
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
      cancel: () => stopStream(),
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
