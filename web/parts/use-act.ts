/** One act of a form: under way, refused with the server's words, or done. */
import { useState } from 'preact/hooks';
import { type Trouble, troubleOf } from '../api/client.ts';

export interface Act {
  readonly busy: boolean;
  readonly trouble: Trouble | null;
  /** Null: it was refused, and `trouble` says why. A second one while one is under way is not begun. */
  run<Value>(asked: () => Promise<Value>): Promise<{ readonly value: Value } | null>;
}

export function useAct(): Act {
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  return {
    busy,
    trouble,
    async run(asked) {
      if (busy) return null;
      setBusy(true);
      setTrouble(null);
      try {
        return { value: await asked() };
      } catch (thrown) {
        setTrouble(troubleOf(thrown));
        return null;
      } finally {
        setBusy(false);
      }
    },
  };
}
