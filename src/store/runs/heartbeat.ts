/** Holds leases while its worker works. */
import type { Lease } from '../store.ts';

/** Milliseconds between renewals of a lease. */
const every = 3_000;

/**
 * Renews the leases after calling `before`, and stores what waits. The first failure aborts `lost` with its error and
 * ends the attempts. One renewal at a time. Returns a function that stops it.
 */
export function heartbeat(
  leases: readonly Pick<Lease, 'renew'>[],
  lost: Pick<AbortController, 'abort'>,
  before: () => void = () => {},
): () => void {
  let beating = false;
  async function beat(): Promise<void> {
    if (beating) return;
    beating = true;
    try {
      before();
      for (const lease of leases) await lease.renew();
    } catch (thrown) {
      clearInterval(heart);
      lost.abort(thrown);
    } finally {
      beating = false;
    }
  }
  const heart = setInterval(() => void beat(), every);
  heart.unref();
  return () => clearInterval(heart);
}
