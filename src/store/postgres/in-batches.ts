/** Many callers, one transaction: what is asked while a batch is on its way goes with the next. */
import { setImmediate as turn } from 'node:timers/promises';

/** `send` gives a value for each that is asked, in order. If it fails, it fails for all of its batch. */
export function inBatches<Asked, Value>(
  send: (batch: readonly Asked[]) => Promise<readonly Value[]>,
): (asked: Asked) => Promise<Value> {
  let waiting: (PromiseWithResolvers<Value> & { readonly asked: Asked })[] = [];
  let isSending = false;

  async function sendAll(): Promise<void> {
    isSending = true;
    while (waiting.length > 0) {
      // Those who were told of the same commit join.
      await turn();
      const batch = waiting;
      waiting = [];
      try {
        const values = await send(batch.map(({ asked }) => asked));
        for (const [nth, { resolve }] of batch.entries()) resolve(values[nth]!);
      } catch (thrown) {
        for (const { reject } of batch) reject(thrown);
      }
    }
    isSending = false;
  }

  return (asked) => {
    const answer = Promise.withResolvers<Value>();
    waiting.push({ ...answer, asked });
    if (!isSending) void sendAll();
    return answer.promise;
  };
}
