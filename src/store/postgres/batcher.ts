/**
 * Joins the requests of many callers into one transaction: requests made while a batch is sent go with the next batch.
 */
import { setImmediate as turn } from 'node:timers/promises';

/** `send` returns a value for each request, in order. If it fails, all requests of its batch fail. */
export function createBatcher<Asked, Value>(
  send: (batch: readonly Asked[]) => Promise<readonly Value[]>,
): (request: Asked) => Promise<Value> {
  let waiting: (PromiseWithResolvers<Value> & { readonly request: Asked })[] = [];
  let isSending = false;

  async function sendAll(): Promise<void> {
    isSending = true;
    while (waiting.length > 0) {
      // Lets callers that waited for the batch before join this one.
      await turn();
      const batch = waiting;
      waiting = [];
      try {
        const values = await send(batch.map(({ request }) => request));
        for (const [nth, { resolve }] of batch.entries()) resolve(values[nth]!);
      } catch (thrown) {
        for (const { reject } of batch) reject(thrown);
      }
    }
    isSending = false;
  }

  return (request) => {
    const answer = Promise.withResolvers<Value>();
    waiting.push({ ...answer, request });
    if (!isSending) void sendAll();
    return answer.promise;
  };
}
