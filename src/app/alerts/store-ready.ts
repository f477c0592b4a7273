/**
 * Tests whether alerts can be stored now, so that a full disk or an unreachable server is noticed before an alert
 * arrives.
 */
import { type Clock, messageOf } from '../../core/index.ts';
import type { AlertRecords } from '../../store/index.ts';

/** How long an answer is reused. Milliseconds. */
const freshMs = 1_000;

/** The returned function resolves to null if alerts can be stored. The detailed reason is only printed, not sent to clients. */
export function storeCheck(
  records: Pick<AlertRecords, 'check'>,
  clock: Clock,
  tell: (line: string) => void,
): () => Promise<string | null> {
  let lastCheck: { readonly at: number; readonly why: Promise<string | null> } | null = null;
  let wasReported = false;
  const check = async (): Promise<string | null> => {
    try {
      await records.check();
      wasReported = false;
      return null;
    } catch (thrown) {
      if (!wasReported) tell(`alerts cannot be stored: ${messageOf(thrown)}`);
      wasReported = true;
      return 'the store refuses writes';
    }
  };
  return () => {
    const checkedAt = clock.now();
    if (lastCheck === null || Math.abs(checkedAt - lastCheck.at) >= freshMs)
      lastCheck = { at: checkedAt, why: check() };
    return lastCheck.why;
  };
}
