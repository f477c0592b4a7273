/** Whether alerts can be kept now: a disk may be full, or a file for reading alone, long before an alert finds out. */
import { type Clock, messageOf } from '../../core/index.ts';
import type { Database } from '../../store/index.ts';

/** Whoever asks more often gets the answer of before. Milliseconds. */
const freshMs = 1_000;
/** No delivery is called so: theirs are hashes. */
const row = 'ready';

/** Null: they can. It writes, as an alert does. Why it does not work is told here, not to whoever asks. */
export function storeReady(
  db: Pick<Database, 'run'>,
  clock: Clock,
  tell: (line: string) => void,
): () => string | null {
  let said: { readonly at: number; readonly why: string | null } | null = null;
  const look = (): string | null => {
    try {
      db.run("INSERT OR REPLACE INTO alert_deliveries VALUES (?, ?, '[]')", row, clock.now());
      return null;
    } catch (thrown) {
      if (said?.why == null) tell(`alerts cannot be kept: ${messageOf(thrown)}`);
      return 'the store refuses writes';
    }
  };
  return () => {
    const at = clock.now();
    if (said === null || Math.abs(at - said.at) >= freshMs) said = { at, why: look() };
    return said.why;
  };
}
