/** Thrown inside the provider's library, and read back from the chain of causes. */
export class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge';

  constructor(limit: number) {
    super(`the answer is longer than ${limit} bytes`);
  }
}

/** Far above any real reply: 128,000 tokens of text are half a megabyte, and a few more as a stream of events. */
export const largestResponse = 16 * 1024 * 1024;

/**
 * A fetch that reads at most `limit` bytes of an answer, after decompression, and follows no redirect: the
 * library would send the key along to wherever a redirect leads.
 */
export function boundedFetch(
  fetch: typeof globalThis.fetch,
  limit = largestResponse,
): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' });
    if (!response.body) return response;
    let seen = 0;
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          seen += chunk.byteLength;
          if (seen > limit) controller.error(new ResponseTooLarge(limit));
          else controller.enqueue(chunk);
        },
      }),
    );
    return new Response(counted, {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  };
}
