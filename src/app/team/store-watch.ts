/** Watches whether the store of a team answers, for the log and for /ready. */
import { messageOf } from '../../core/index.ts';

export interface StoreWatch {
  /** Why the store does not answer; null: it answers. */
  reasonAway(): string | null;
  close(): void;
}

/** The interval between checks, and the time after which a missing answer is reported. Milliseconds. */
const lookMs = 1_000;
const patienceMs = 3_000;

/** `check` rejects if the store does not answer. Prints one line when it stops answering, and one when it answers. */
export function watchStore(
  check: () => Promise<unknown>,
  tell: (line: string) => void,
  everyMs = lookMs,
): StoreWatch {
  let awaySince: number | null = null;
  let isChecking = false;

  function reportAway(reasonAway: string, since: number): void {
    if (awaySince !== null) return;
    awaySince = since;
    tell(`the store does not answer: ${reasonAway}`);
  }

  async function checkOnce(): Promise<void> {
    if (isChecking) return;
    isChecking = true;
    const startedAt = performance.now();
    const lateTimer = setTimeout(
      () => reportAway(`no answer in ${patienceMs / 1_000} s`, startedAt),
      patienceMs,
    );
    try {
      await check();
      if (awaySince !== null)
        tell(`the store is there again, after ${Math.round((performance.now() - awaySince) / 1_000)} s`);
      awaySince = null;
    } catch (thrown) {
      reportAway(messageOf(thrown), startedAt);
    } finally {
      clearTimeout(lateTimer);
      isChecking = false;
    }
  }
  const timer = setInterval(() => void checkOnce(), everyMs);
  void checkOnce();
  return {
    reasonAway: () => (awaySince === null ? null : 'the store does not answer'),
    close: () => clearInterval(timer),
  };
}
