/** Thrown inside the provider's library, and read back from the chain of causes. */
export class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge';

  constructor(limit: number) {
    super(`the answer is longer than ${limit} bytes`);
  }
}

/** Whatever answered, it was no model: nothing is billed, and asking again gives the same page. */
export class WebPage extends Error {
  override readonly name = 'WebPage';
}

/** Far above any real reply: 128,000 tokens of text are half a megabyte, and a few more as a stream of events. */
export const largestResponse = 16 * 1024 * 1024;

/**
 * A fetch that reads at most `limit` bytes of an answer, after decompression, and follows no redirect: the
 * library would send the key along to wherever a redirect leads. A web page in place of an answer is thrown.
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
    if (response.ok && /\bhtml\b/i.test(response.headers.get('content-type') ?? ''))
      throw new WebPage(await new Response(counted).text());
    return new Response(counted, {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  };
}
