/** The listeners of conversations and the text so far of each unfinished answer, for servers and fronts alike. */
import type { AgentEvent } from '../../agent/channel/channel.ts';
import type { ListenedEvent, ThreadLog } from './thread-log.ts';

type Listener = Parameters<ThreadLog['listen']>[1];

export interface ThreadListeners extends Pick<ThreadLog, 'listen' | 'currentText'> {
  notify(thread: string, request: string, event: ListenedEvent): void;
  /** The threads that have a listener. */
  threads(): Iterable<string>;
  /** Adds a piece of the answer. `from`: where it begins, if another process says so; a piece out of order is left out. */
  addText(thread: string, piece: string, from?: number): number;
  endText(thread: string): void;
}

export function createThreadListeners(): ThreadListeners {
  const listeners = new Map<string, Set<Listener>>();
  const texts = new Map<string, string>();
  return {
    notify(thread, request, listenedEvent) {
      for (const listener of listeners.get(thread) ?? []) listener(listenedEvent, request);
    },
    threads: () => listeners.keys(),
    listen(thread, listener) {
      const set = listeners.get(thread) ?? new Set();
      listeners.set(thread, set.add(listener));
      return () => {
        set.delete(listener);
        if (set.size === 0) listeners.delete(thread);
      };
    },
    addText(thread, piece, from) {
      const before = texts.get(thread) ?? '';
      if (from === undefined || from === before.length) texts.set(thread, before + piece);
      return before.length;
    },
    endText: (thread) => void texts.delete(thread),
    currentText(thread) {
      const piece = texts.get(thread);
      return piece === undefined
        ? null
        : { seq: null, event: { kind: 'text', piece, from: 0 } as AgentEvent };
    },
  };
}

/** Whether an event of this kind ends the text so far: every kind but the end of a tool call and a word to the turn. */
export const endsText = (kind: string): boolean => kind !== 'tool_finished' && kind !== 'steered';

/** The event with the changes that its write made, before and after. */
export const addChanges = (
  event: AgentEvent,
  changesOf: (write: string) => readonly object[],
): AgentEvent & { readonly changes?: readonly object[] } =>
  event.kind === 'tool_finished' && event.write_id !== null
    ? { ...event, changes: changesOf(event.write_id) }
    : event;
