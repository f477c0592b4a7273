/** Holds a lease while its worker works. */
import type { Lease } from './store.ts';

/** How often a lease is renewed. Milliseconds. */
const every = 10_000;

/**
 * Renews the lease, with what waits to be kept, after `before` was called. The first that fails aborts `lost`, with
 * what it threw; where one takes longer than it should, the next waits for its end. Ends with what it returns.
 */
export function heartbeat(
  lease: Pick<Lease, 'renew'>,
  before: () => void,
  lost: Pick<AbortController, 'abort'>,
): () => void {
  let beating = false;
  async function beat(): Promise<void> {
    if (beating) return;
    beating = true;
    try {
      before();
      await lease.renew();
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
