/**
 * Events of the server, one stream for all windows of a browser: it opens six connections to a server and no more. The
 * window that holds the lock of a stream listens, and passes on what it hears; when it goes, another takes over after the
 * last event that it has heard.
 */
import { isLater, type StreamEvent } from './event-text.ts';
import { follow } from './follow.ts';

type Passed =
  | { readonly is: 'event'; readonly event: StreamEvent }
  /** Events may have been missed: load again what is shown. */
  | { readonly is: 'anew' }
  | { readonly is: 'over' }
  | { readonly is: 'live'; readonly live: boolean };

export interface Listener {
  event(event: StreamEvent): void;
  anew?(): void;
  over?(): void;
  live?(isLive: boolean): void;
  /** Called if the server no longer accepts the session. */
  refused?(): void;
}

/** Between two tries of a server that is not there. Milliseconds. */
const retryMs = 1_000;

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      done();
    });
  });

/** Returns what ends it. `after`: the id of an event that is known already. */
export function shareStream(path: string, listener: Listener, after = ''): () => void {
  const channel = new BroadcastChannel(`sonde:${path}`);
  const stop = new AbortController();
  const { signal } = stop;
  let last = after;

  const take = (passed: Passed): void => {
    if (signal.aborted) return;
    if (passed.is === 'anew') listener.anew?.();
    else if (passed.is === 'over') listener.over?.();
    else if (passed.is === 'live') listener.live?.(passed.live);
    else if (passed.event.id === '') listener.event(passed.event);
    else if (last === '' || isLater(passed.event.id, last)) {
      last = passed.event.id;
      listener.event(passed.event);
    }
  };
  channel.onmessage = ({ data }: MessageEvent<Passed>) => take(data);
  const tell = (passed: Passed): void => {
    if (signal.aborted) return;
    take(passed);
    channel.postMessage(passed);
  };

  async function listen(): Promise<void> {
    while (!signal.aborted) {
      const from = last;
      const ended = await follow(path, from, signal, {
        event: (event) => tell({ is: 'event', event }),
        opened() {
          tell({ is: 'live', live: true });
          // The stream began by itself, so something may have been written just before.
          if (from === '') tell({ is: 'anew' });
        },
      });
      if (signal.aborted) return;
      if (ended === 'over') return tell({ is: 'over' });
      tell({ is: 'live', live: false });
      if (ended === 'refused') return listener.refused?.();
      if (ended === 'gone') last = '';
      await pause(retryMs, signal);
    }
  }

  void navigator.locks.request(`sonde:${path}`, { signal }, listen).catch(() => {
    // It was closed before its turn to open came.
  });
  return () => {
    stop.abort();
    channel.close();
  };
}
