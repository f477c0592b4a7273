/** Whether the store of a team answers, for a log and for who asks /ready. */
import { messageOf } from '../../core/index.ts';

export interface StoreWatch {
  /** Null: it answers. */
  why(): string | null;
  close(): void;
}

/** Between two looks, and what an answer may take before it is told. Milliseconds. */
const lookMs = 1_000;
const patienceMs = 3_000;

/** `look` rejects if the store does not answer. Calls back once when the store is lost, and once when it is back. */
export function watchStore(
  look: () => Promise<unknown>,
  tell: (line: string) => void,
  everyMs = lookMs,
): StoreWatch {
  let awaySince: number | null = null;
  let looking = false;

  function away(why: string, since: number): void {
    if (awaySince !== null) return;
    awaySince = since;
    tell(`the store does not answer: ${why}`);
  }

  async function lookOnce(): Promise<void> {
    if (looking) return;
    looking = true;
    const began = performance.now();
    const late = setTimeout(() => away(`no answer in ${patienceMs / 1_000} s`, began), patienceMs);
    try {
      await look();
      if (awaySince !== null)
        tell(`the store is there again, after ${Math.round((performance.now() - awaySince) / 1_000)} s`);
      awaySince = null;
    } catch (thrown) {
      away(messageOf(thrown), began);
    } finally {
      clearTimeout(late);
      looking = false;
    }
  }
  const timer = setInterval(() => void lookOnce(), everyMs);
  void lookOnce();
  return {
    why: () => (awaySince === null ? null : 'the store does not answer'),
    close: () => clearInterval(timer),
  };
}
