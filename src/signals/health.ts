import {
  type Health,
  messageOf,
  plainMask,
  type SignalFailure,
  type SystemMask,
  shortLine,
} from '../core/index.ts';

/** The longest wait for a health check. Milliseconds. */
const patienceMs = 3_000;

/** Asks once, within a few seconds or as long as `outer` allows; whatever goes wrong is the reason. */
export async function examine(
  check: (signal: AbortSignal) => Promise<Health | SignalFailure>,
  outer?: AbortSignal,
  mask: SystemMask = plainMask,
): Promise<Health> {
  const sick = (reason: string): Health =>
    Object.freeze({ kind: 'unhealthy', reason: shortLine(mask.system(reason), 300) });
  const signal = outer ?? AbortSignal.timeout(patienceMs);
  const ended = new Promise<Health>((resolve) => {
    const stop = () =>
      resolve(
        sick(
          (signal.reason as Error | undefined)?.name === 'TimeoutError' ? 'no answer in time' : 'cancelled',
        ),
      );
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  const asked = check(signal)
    .then(
      (found): Health =>
        found.kind === 'failure'
          ? sick(found.message)
          : found.kind === 'unhealthy'
            ? sick(found.reason)
            : found,
    )
    .catch((thrown: unknown) => sick(messageOf(thrown)));
  return Promise.race([asked, ended]);
}
