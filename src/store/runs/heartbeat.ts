/** Holds leases while its worker works. */
import type { Lease } from '../store.ts';

/** Milliseconds between renewals of a lease. */
const renewMs = 3_000;

/**
 * Renews the leases after calling `before`, and stores what waits. The first failure aborts `lost` with its error and
 * ends the attempts. One renewal at a time. Returns a function that stops it.
 */
export function startHeartbeat(
  leases: readonly Pick<Lease, 'renew'>[],
  lost: Pick<AbortController, 'abort'>,
  before: () => void = () => {},
): () => void {
  let isRenewing = false;
  async function renewAll(): Promise<void> {
    if (isRenewing) return;
    isRenewing = true;
    try {
      before();
      for (const lease of leases) await lease.renew();
    } catch (thrown) {
      clearInterval(timer);
      lost.abort(thrown);
    } finally {
      isRenewing = false;
    }
  }
  const timer = setInterval(() => void renewAll(), renewMs);
  timer.unref();
  return () => clearInterval(timer);
}
