/** Holds leases while its worker works. */
import type { Lease } from './store.ts';

/** How often a lease is renewed. Milliseconds. */
const every = 10_000;

/**
 * Renews the leases, with what waits to be kept, after `before` was called. The first failure aborts `lost`
 * with its error, and is the last attempt. One renewal at a time. Returns a function that ends it.
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
