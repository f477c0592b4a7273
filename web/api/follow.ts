import { eventReader, type StreamEvent } from './event-text.ts';

/** How one stretch of listening ended. */
export type Ended = 'over' | 'broken' | 'gone' | 'refused';

export interface Following {
  event(event: StreamEvent): void;
  opened?(): void;
}

/** The server says something each 15 s: after this long it is not there any more. Milliseconds. */
const silentMs = 40_000;

/** Listens once to the events after that id; with an empty id, from where the stream begins. */
export async function follow(
  path: string,
  after: string,
  signal: AbortSignal,
  { event, opened }: Following,
): Promise<Ended> {
  const silence = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const heard = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), silentMs);
  };
  try {
    heard();
    const response = await fetch(`/api/v1${path}`, {
      headers: { accept: 'text/event-stream', ...(after !== '' && { 'last-event-id': after }) },
      cache: 'no-store',
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (response.status === 410) return 'gone';
    if (response.status === 401 || response.status === 403 || response.status === 404) return 'refused';
    if (!response.ok || response.body === null) return 'broken';
    opened?.();
    const read = eventReader();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return 'broken';
      heard();
      for (const one of read(value)) {
        if (one.kind === 'end') {
          void reader.cancel();
          return 'over';
        }
        event(one);
      }
    }
  } catch {
    return 'broken';
  } finally {
    clearTimeout(timer);
  }
}
