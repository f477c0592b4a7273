import type { WireGauge } from './wire-gauge.ts';

/** Thrown inside the provider's library, and read back from the chain of causes. */
export class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge';

  constructor(limit: number) {
    super(`the answer is longer than ${limit} bytes`);
  }
}

/** The answer is a web page and not a model's: nothing is billed, and a retry would give the same page. */
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

/** Far above any real reply: 128,000 tokens of text are half a megabyte, and a few more as a stream of events. */
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
  { answer, whole, wire, afterEnd }: Bounds,
): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' });
    if (!response.body) return response;
    const { status, statusText, headers } = response;
    const withBody = (body: ReadableStream<Uint8Array> | string) =>
      new Response(body, { status, statusText, headers });
    if (!response.ok) return withBody(response.body.pipeThrough(limitBytes(answer)));
    if (/\bhtml\b/i.test(headers.get('content-type') ?? ''))
      throw new WebPage(await withBody(response.body.pipeThrough(limitBytes(answer))).text());
    if (!asksForStream(init?.body)) return withBody(response.body.pipeThrough(limitBytes(answer)));
    const [first, rest] = await peek(response.body);
    if (/^\s*[{[]/.test(first))
      throw new WholeAnswer(withBody(await withBody(rest.pipeThrough(limitBytes(whole))).text()));
    return withBody(closeAfterLastEvent(gaugeBody(rest, answer, wire), afterEnd));
  };
}

function asksForStream(body: unknown): boolean {
  return typeof body === 'string' && /"stream":\s*true/.test(body);
}

type Bytes = ReadableStream<Uint8Array>;

function limitBytes(limit: number): TransformStream<Uint8Array, Uint8Array> {
  let seen = 0;
  return new TransformStream({
    transform(chunk, controller) {
      seen += chunk.byteLength;
      if (seen > limit) controller.error(new ResponseTooLarge(limit));
      else controller.enqueue(chunk);
    },
  });
}

/** Bytes are passed on in pieces of this size, so that the reader can stop after each of them. */
const pieceBytes = 1_024;

/** Counts bytes before the library parses them, since it would read an endless event whole. */
function gaugeBody(body: Bytes, answer: number, wire: WireGauge): Bytes {
  const reader = body.getReader();
  let buffered = new Uint8Array();
  let seen = 0;
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
        seen += piece.byteLength;
        const limit = seen > answer ? answer : wire.addBytes(piece.byteLength) ? wire.limit : null;
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

/** The beginning of a body as text, and a body that still has it. */
async function peek(body: Bytes): Promise<readonly [first: string, rest: Bytes]> {
  const reader = body.getReader();
  const { value: first = new Uint8Array(), done } = await reader.read();
  const rest = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(first);
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
  return [Buffer.from(first.subarray(0, 64)).toString('latin1'), rest];
}

const lastEvent =
  /(?:^|\n)(?:data: ?\[DONE\]|event: ?(?:message_stop|response\.(?:completed|incomplete|failed)))\r?\n/;

/**
 * Closes a stream `afterEnd` milliseconds after its last event, since some servers leave the connection open. Other
 * servers report usage after that event.
 */
function closeAfterLastEvent(body: Bytes, afterEnd: number): Bytes {
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
        if (timeout === null && lastEvent.test(tail)) {
          const { promise, resolve } = Promise.withResolvers<'over'>();
          timeout = promise;
          timer = setTimeout(() => resolve('over'), afterEnd);
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
