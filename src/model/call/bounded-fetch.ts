import type { WireGauge } from './wire-gauge.ts';

/** Thrown inside the provider's library, and read back from the chain of causes. */
export class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge';

  constructor(limit: number) {
    super(`the answer is longer than ${limit} bytes`);
  }
}

/** The answer is a web page instead of a model's reply: nothing is billed, and a retry would give the same page. */
export class WebPage extends Error {
  override readonly name = 'WebPage';
}

/** A stream was requested, but the server sent one whole answer: not every server can stream. */
export class WholeAnswer extends Error {
  override readonly name = 'WholeAnswer';
  readonly response: Response;

  constructor(response: Response) {
    super('the answer came as a whole');
    this.response = response;
  }
}

/** Bytes. No real reply is as long: 128,000 tokens are half a megabyte of text, or a few megabytes of events. */
export const maxResponse = 16 * 1024 * 1024;

export interface Bounds {
  /** Maximum bytes of the whole answer, after decompression. */
  readonly answer: number;
  /** Maximum bytes of a whole answer, if a stream was requested. */
  readonly whole: number;
  /** Counts a stream of events, byte by byte. */
  readonly wire: WireGauge;
  /** How long a stream may stay open after its last event. Milliseconds. */
  readonly afterEnd: number;
}

/**
 * Wraps `fetch` so that it reads no more of an answer than the bounds allow. It follows no redirect, since the library
 * would send the key to the target. Throws `WebPage` for a web page, and `WholeAnswer` for a whole answer in place of a
 * stream.
 */
export function limitFetch(
  fetch: typeof globalThis.fetch,
  { answer: maxBytes, whole: maxWholeBytes, wire: gauge, afterEnd: afterEndMs }: Bounds,
): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' });
    if (!response.body) return response;
    const { status, statusText, headers } = response;
    const withBody = (body: ReadableStream<Uint8Array> | string) =>
      new Response(body, { status, statusText, headers });
    if (!response.ok) return withBody(response.body.pipeThrough(limitBytes(maxBytes)));
    if (/\bhtml\b/i.test(headers.get('content-type') ?? ''))
      throw new WebPage(await withBody(response.body.pipeThrough(limitBytes(maxBytes))).text());
    if (!asksForStream(init?.body)) return withBody(response.body.pipeThrough(limitBytes(maxBytes)));
    const [beginning, fullBody] = await peek(response.body);
    if (/^\s*[{[]/.test(beginning))
      throw new WholeAnswer(withBody(await withBody(fullBody.pipeThrough(limitBytes(maxWholeBytes))).text()));
    return withBody(closeAfterLastEvent(gaugeBody(fullBody, maxBytes, gauge), afterEndMs));
  };
}

function asksForStream(body: unknown): boolean {
  return typeof body === 'string' && /"stream":\s*true/.test(body);
}

type Bytes = ReadableStream<Uint8Array>;

function limitBytes(limit: number): TransformStream<Uint8Array, Uint8Array> {
  let receivedBytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      receivedBytes += chunk.byteLength;
      if (receivedBytes > limit) controller.error(new ResponseTooLarge(limit));
      else controller.enqueue(chunk);
    },
  });
}

/** Bytes are passed on in pieces of this size, so that the reader can stop after each of them. */
const pieceBytes = 1_024;

/** Counts bytes before the library parses them, since it would read an endless event whole. */
function gaugeBody(body: Bytes, maxBytes: number, gauge: WireGauge): Bytes {
  const reader = body.getReader();
  let buffered = new Uint8Array();
  let receivedBytes = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (buffered.byteLength === 0) {
          const next = await reader.read();
          if (next.done) return controller.close();
          buffered = next.value as Uint8Array<ArrayBuffer>;
        }
        const piece = buffered.subarray(0, pieceBytes);
        buffered = buffered.subarray(pieceBytes);
        receivedBytes += piece.byteLength;
        const limit =
          receivedBytes > maxBytes ? maxBytes : gauge.addBytes(piece.byteLength) ? gauge.limit : null;
        if (limit === null) return controller.enqueue(piece);
        controller.error(new ResponseTooLarge(limit));
        await reader.cancel();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Read from the socket only on demand.
    { highWaterMark: 0 },
  );
}

/** Reads the beginning of a body as text. Returns it with a body that still contains it. */
async function peek(body: Bytes): Promise<readonly [first: string, rest: Bytes]> {
  const reader = body.getReader();
  const { value: firstChunk = new Uint8Array(), done } = await reader.read();
  const fullBody = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(firstChunk);
        if (done) controller.close();
      },
      async pull(controller) {
        const next = await reader.read();
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return [Buffer.from(firstChunk.subarray(0, 64)).toString('latin1'), fullBody];
}

const lastEventPattern =
  /(?:^|\n)(?:data: ?\[DONE\]|event: ?(?:message_stop|response\.(?:completed|incomplete|failed)))\r?\n/;

/**
 * Closes a stream `afterEndMs` milliseconds after its last event, since some servers leave the connection open. Other
 * servers report usage after that event.
 */
function closeAfterLastEvent(body: Bytes, afterEndMs: number): Bytes {
  const reader = body.getReader();
  let tail = '';
  let timeout: Promise<'over'> | null = null;
  let timer: NodeJS.Timeout | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await (timeout === null ? reader.read() : Promise.race([reader.read(), timeout]));
        if (next === 'over') {
          controller.close();
          return reader.cancel();
        }
        if (next.done) {
          clearTimeout(timer);
          return controller.close();
        }
        controller.enqueue(next.value);
        tail = `${tail}${Buffer.from(next.value).toString('latin1')}`;
        if (timeout === null && lastEventPattern.test(tail)) {
          const { promise, resolve } = Promise.withResolvers<'over'>();
          timeout = promise;
          timer = setTimeout(() => resolve('over'), afterEndMs);
        }
        tail = tail.slice(-64);
      },
      cancel(reason) {
        clearTimeout(timer);
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
