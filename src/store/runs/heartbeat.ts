/** Renews leases in the background. */
import type { Lease } from '../store.ts';

/** Milliseconds between renewals of a lease. */
const renewMs = 3_000;

/**
 * Renews the leases periodically, after calling `before`; a renewal also stores buffered writes. The first failure
 * aborts `lost` with its error, and ends the renewals. Returns a function that stops them.
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
