/**
 * Tests whether alerts can be stored now, so that a full disk or a server that is away is noticed before an alert
 * comes.
 */
import { type Clock, messageOf } from '../../core/index.ts';
import type { AlertRecords } from '../../store/index.ts';

/** How long an answer is reused. Milliseconds. */
const freshMs = 1_000;

/** Null if they can be used. The reason is printed here and not told to clients. */
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
