import { failure, type Trouble } from './failure.ts';
import type { ModelFailure, ModelReply, ModelRequest } from './model.ts';

/** A timer set for longer fires at once. Milliseconds. */
const longestTimer = 2 ** 31 - 1;

/**
 * Runs a request under its time limit and its caller's signal, and answers at once when either ends, even if
 * `work` ignores its own signal. What was sent by then may be billed, so its usage is unknown.
 */
export async function interruptible(
  request: Pick<ModelRequest, 'timeoutMs' | 'signal'>,
  about: Omit<Trouble, 'said'>,
  work: (signal: AbortSignal) => Promise<ModelReply | ModelFailure>,
): Promise<ModelReply | ModelFailure> {
  const cancelled = (usage: 'none' | 'unknown') =>
    failure('cancelled', { ...about, said: 'cancelled' }, usage);
  if (request.signal?.aborted) return cancelled('none');
  const own = new AbortController();
  return new Promise((resolve, reject) => {
    const end = (result: ModelFailure) => {
      stop();
      resolve(result);
      own.abort();
    };
    const onAbort = () => end(cancelled('unknown'));
    const timer = setTimeout(
      () =>
        end(failure('timeout', { ...about, said: `no answer within ${request.timeoutMs} ms` }, 'unknown')),
      Math.min(request.timeoutMs, longestTimer),
    );
    const stop = () => {
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', onAbort);
    };
    request.signal?.addEventListener('abort', onAbort, { once: true });
    work(own.signal).then(
      (result) => {
        stop();
        resolve(result);
      },
      (thrown) => {
        stop();
        reject(thrown);
      },
    );
  });
}
