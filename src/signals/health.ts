import {
  type Health,
  messageOf,
  plainMask,
  type SignalFailure,
  type SystemMask,
  shortLine,
} from '../core/index.ts';

/** Maximum wait for a health check. Milliseconds. */
const timeoutMs = 3_000;

/** Checks once, for a few seconds or until `callerSignal` aborts. Every error becomes the reason of `unhealthy`. */
export async function checkHealth(
  check: (signal: AbortSignal) => Promise<Health | SignalFailure>,
  callerSignal?: AbortSignal,
  mask: SystemMask = plainMask,
): Promise<Health> {
  const unhealthy = (reason: string): Health =>
    Object.freeze({ kind: 'unhealthy', reason: shortLine(mask.system(reason), 300) });
  const signal = callerSignal ?? AbortSignal.timeout(timeoutMs);
  const timeoutOrCancel = new Promise<Health>((resolve) => {
    const onAbort = () =>
      resolve(
        unhealthy(
          (signal.reason as Error | undefined)?.name === 'TimeoutError' ? 'no answer in time' : 'cancelled',
        ),
      );
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  const checkResult = check(signal)
    .then(
      (found): Health =>
        found.kind === 'failure'
          ? unhealthy(found.message)
          : found.kind === 'unhealthy'
            ? unhealthy(found.reason)
            : found,
    )
    .catch((thrown: unknown) => unhealthy(messageOf(thrown)));
  return Promise.race([checkResult, timeoutOrCancel]);
}
