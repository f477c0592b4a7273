/** Whether alerts can be kept now: a disk may be full, or a server away, long before an alert finds out. */
import { type Clock, messageOf } from '../../core/index.ts';
import type { AlertRecords } from '../../store/index.ts';

/** Whoever asks more often gets the answer of before. Milliseconds. */
const freshMs = 1_000;

/** Null: they can. Why they can't is told here, not to whoever asks. */
export function storeReady(
  records: Pick<AlertRecords, 'check'>,
  clock: Clock,
  tell: (line: string) => void,
): () => Promise<string | null> {
  let asked: { readonly at: number; readonly why: Promise<string | null> } | null = null;
  let told = false;
  const look = async (): Promise<string | null> => {
    try {
      await records.check();
      told = false;
      return null;
    } catch (thrown) {
      if (!told) tell(`alerts cannot be kept: ${messageOf(thrown)}`);
      told = true;
      return 'the store refuses writes';
    }
  };
  return () => {
    const at = clock.now();
    if (asked === null || Math.abs(at - asked.at) >= freshMs) asked = { at, why: look() };
    return asked.why;
  };
}
