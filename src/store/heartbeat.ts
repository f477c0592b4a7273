/** Holds leases while its worker works. */
import type { Lease } from './store.ts';

/** How often a lease is renewed. Milliseconds. */
const every = 10_000;

/**
 * Renews the leases, with what waits to be kept, after `before` was called. The first that fails aborts `lost`, with
 * what it threw, and is the last. While one is waited for, no other begins. What it returns ends it.
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
