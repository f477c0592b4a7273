import type { ModelFailure, ModelRequest } from '../model.ts';
import { type FailureContext, failure } from './failure.ts';

/** The longest delay that a timer takes; a longer one would fire at once. Milliseconds. */
const maxTimer = 2 ** 31 - 1;

/**
 * Runs a request under its time limits and its caller's signal, and answers at once when either ends, even if
 * `work` ignores its own signal; `heard` says that a word of the answer came. A request that was sent may be
 * billed, so its usage is unknown.
 */
export async function interruptible<Reply>(
  request: Pick<ModelRequest, 'timeoutMs' | 'maxMs' | 'signal'>,
  about: Omit<FailureContext, 'said'>,
  work: (signal: AbortSignal, onHeard: () => void) => Promise<Reply | ModelFailure>,
): Promise<Reply | ModelFailure> {
  const cancelledFailure = (usage: 'none' | 'unknown') =>
    failure('cancelled', { ...about, said: 'cancelled' }, usage);
  if (request.signal?.aborted) return cancelledFailure('none');
  const own = new AbortController();
  return new Promise((resolve, reject) => {
    const end = (result: ModelFailure) => {
      stop();
      resolve(result);
      own.abort();
    };
    const onAbort = () => end(cancelledFailure('unknown'));
    const after = (ms: number, said: string) =>
      setTimeout(() => end(failure('timeout', { ...about, said }, 'unknown')), Math.min(ms, maxTimer));
    const { timeoutMs, maxMs } = request;
    let ended = false;
    let silence = after(timeoutMs, `no answer within ${timeoutMs} ms`);
    const whole =
      maxMs === undefined ? undefined : after(maxMs, `no whole answer within ${Math.round(maxMs)} ms`);
    const onHeard = () => {
      if (whole === undefined || ended) return;
      clearTimeout(silence);
      silence = after(timeoutMs, `no further word within ${timeoutMs} ms`);
    };
    const stop = () => {
      ended = true;
      clearTimeout(silence);
      clearTimeout(whole);
      request.signal?.removeEventListener('abort', onAbort);
    };
    request.signal?.addEventListener('abort', onAbort, { once: true });
    work(own.signal, onHeard).then(
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
