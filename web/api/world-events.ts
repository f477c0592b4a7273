import { useEffect, useRef } from 'preact/hooks';
import { shareStream } from './streams.ts';
import type { StepKind } from './types.ts';

const listeners = new Set<() => void>();
const lives = new Set<(live: boolean) => void>();
let end: (() => void) | undefined;

/** Writes come in crowds: an import is thousands. Milliseconds. */
const settleMs = 150;
let timer: ReturnType<typeof setTimeout> | undefined;
function changed(): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    for (const one of listeners) one();
  }, settleMs);
}

/** Steps after which a conversation stands otherwise: it is at work, it is at rest, or it asks. */
const stands: ReadonlySet<string> = new Set([
  'run_started',
  'run_resumed',
  'run_finished',
  'note',
] satisfies StepKind[]);

/** Opened with the page, once the person is logged in. */
export function openWorldEvents(refused: () => void): () => void {
  let written = '';
  end ??= shareStream('/events', {
    event({ id, kind }) {
      // Steps of runs come here, too: what is written counts in the first number.
      const [place = ''] = id.split('-');
      if (place === written && !stands.has(kind)) return;
      written = place;
      changed();
    },
    anew: changed,
    refused,
    live(isLive) {
      for (const one of lives) one(isLive);
    },
  });
  return () => {
    end?.();
    end = undefined;
  };
}

/** Called after something was written in the workspace, here or anywhere, and after a run began or ended. */
export function useWorldChange(tell: () => void): void {
  const now = useRef(tell);
  now.current = tell;
  useEffect(() => {
    const one = (): void => now.current();
    listeners.add(one);
    return () => void listeners.delete(one);
  }, []);
}

export function useLive(tell: (live: boolean) => void): void {
  const now = useRef(tell);
  now.current = tell;
  useEffect(() => {
    const one = (live: boolean): void => now.current(live);
    lives.add(one);
    return () => void lives.delete(one);
  }, []);
}
