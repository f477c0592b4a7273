/** The page: logs the person in, and shows the view of the current address. */
import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { ApiError, onLockedOut, type Trouble, troubleOf } from './api/client.ts';
import { enter } from './api/enter.ts';
import type { Session } from './api/types.ts';
import { openWorldEvents } from './api/world-events.ts';
import { Failed, Loading } from './parts/states.tsx';
import { Shell } from './shell.tsx';

type Entry =
  | { readonly is: 'entering' }
  | { readonly is: 'in'; readonly session: Session }
  | { readonly is: 'out'; readonly trouble: Trouble }
  | { readonly is: 'failed'; readonly trouble: Trouble };

/** `entering`: begun with the page, before this is drawn. */
export function App({ entering }: { readonly entering: Promise<Session> }): VNode {
  const [entry, setEntry] = useState<Entry>({ is: 'entering' });
  const [round, setRound] = useState(0);
  useLayoutEffect(() => {
    (round === 0 ? entering : enter()).then(
      (session) => setEntry({ is: 'in', session }),
      (thrown: unknown) => {
        const is = thrown instanceof ApiError && thrown.status === 401 ? 'out' : 'failed';
        setEntry({ is, trouble: troubleOf(thrown) });
      },
    );
  }, [round, entering]);
  useEffect(() => {
    const out = (): void =>
      setEntry((before) => (before.is === 'in' ? { is: 'out', trouble: ended } : before));
    return onLockedOut(out);
  }, []);
  useEffect(() => {
    if (entry.is !== 'in') return;
    return openWorldEvents(() => setEntry({ is: 'out', trouble: ended }));
  }, [entry.is]);
  // Another code, pasted into a window that is open.
  useEffect(() => {
    const again = (): void => {
      if (location.hash.startsWith('#code=')) setRound((n) => n + 1);
    };
    window.addEventListener('hashchange', again);
    return () => window.removeEventListener('hashchange', again);
  }, []);

  if (entry.is === 'in') return <Shell session={entry.session} />;
  return (
    <main class="gate">
      <p class="brand">Sonde</p>
      {entry.is === 'entering' && <Loading what="the session" />}
      {entry.is === 'failed' && <Failed trouble={entry.trouble} again={() => setRound((n) => n + 1)} />}
      {entry.is === 'out' && (
        <>
          <h1>This window is not let in</h1>
          <p>{entry.trouble.message}.</p>
          <p>
            Run <code>sonde ui</code> on the machine of the server: it prints an address that opens one
            window.
          </p>
          <button type="button" onClick={() => setRound((n) => n + 1)}>
            Try again
          </button>
        </>
      )}
    </main>
  );
}

const ended: Trouble = {
  code: 'unauthenticated',
  message: 'The session of this window is over',
  remedy: null,
};
