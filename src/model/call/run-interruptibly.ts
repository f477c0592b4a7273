import type { ModelFailure, ModelRequest } from '../model.ts';
import { type FailureContext, failure } from './failure.ts';

/** The longest delay that a timer takes; a longer one would fire at once. Milliseconds. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Runs `work` until a time limit or the caller's signal ends it, even if `work` ignores its own signal. `work` calls
 * `onProgress` when output arrives, which restarts the limit of silence. The usage of an interrupted request is
 * unknown, since it may be billed.
 */
export async function runInterruptibly<Reply>(
  request: Pick<ModelRequest, 'timeoutMs' | 'maxMs' | 'signal'>,
  context: Omit<FailureContext, 'detail'>,
  work: (signal: AbortSignal, onProgress: () => void) => Promise<Reply | ModelFailure>,
): Promise<Reply | ModelFailure> {
  const createCancelledFailure = (usage: 'none' | 'unknown') =>
    failure('cancelled', { ...context, detail: 'cancelled' }, usage);
  if (request.signal?.aborted) return createCancelledFailure('none');
  const controller = new AbortController();
  return new Promise((resolve, reject) => {
    const endWith = (result: ModelFailure) => {
      cleanUp();
      resolve(result);
      controller.abort();
    };
    const onAbort = () => endWith(createCancelledFailure('unknown'));
    const failAfter = (ms: number, detail: string) =>
      setTimeout(
        () => endWith(failure('timeout', { ...context, detail }, 'unknown')),
        Math.min(ms, maxTimerMs),
      );
    const { timeoutMs, maxMs } = request;
    let ended = false;
    let silenceTimer = failAfter(timeoutMs, `no answer within ${timeoutMs} ms`);
    const totalTimer =
      maxMs === undefined ? undefined : failAfter(maxMs, `no whole answer within ${Math.round(maxMs)} ms`);
    const onProgress = () => {
      if (totalTimer === undefined || ended) return;
      clearTimeout(silenceTimer);
      silenceTimer = failAfter(timeoutMs, `no further word within ${timeoutMs} ms`);
    };
    const cleanUp = () => {
      ended = true;
      clearTimeout(silenceTimer);
      clearTimeout(totalTimer);
      request.signal?.removeEventListener('abort', onAbort);
    };
    request.signal?.addEventListener('abort', onAbort, { once: true });
    work(controller.signal, onProgress).then(
      (result) => {
        cleanUp();
        resolve(result);
      },
      (thrown) => {
        cleanUp();
        reject(thrown);
      },
    );
  });
}
