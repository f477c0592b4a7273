import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { read, type Trouble, troubleOf } from './client.ts';

export type Reading<Value> =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly trouble: Trouble }
  | { readonly state: 'ready'; readonly value: Value };

export type Read<Value> = Reading<Value> & {
  /** Loads again; the old content is shown until the new one is there. */
  readonly again: () => void;
};

/** The value of a path, or of anything else that is asked for; `null`: there is nothing to ask yet. */
export function useRead<Value>(
  asked: string | null,
  get: (path: string, signal: AbortSignal) => Promise<Value> = read,
): Read<Value> {
  const [reading, setReading] = useState<Reading<Value> & { readonly of?: string | null }>({
    state: 'loading',
  });
  const [round, setRound] = useState(0);
  const how = useRef(get);
  how.current = get;
  // Before the browser paints: the question need not wait for the picture.
  useLayoutEffect(() => {
    if (asked === null) return;
    const stop = new AbortController();
    setReading((before) => (before.of === asked ? before : { state: 'loading', of: asked }));
    how.current(asked, stop.signal).then(
      (value) => {
        if (!stop.signal.aborted) setReading({ state: 'ready', value, of: asked });
      },
      (thrown: unknown) => {
        if (!stop.signal.aborted) setReading({ state: 'failed', trouble: troubleOf(thrown), of: asked });
      },
    );
    return () => stop.abort();
  }, [asked, round]);
  const again = useCallback(() => setRound((n) => n + 1), []);
  const current: Reading<Value> = reading.of === asked ? reading : { state: 'loading' };
  return { ...current, again };
}
