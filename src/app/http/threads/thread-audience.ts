/** The listeners of conversations and the text so far of each unfinished answer, for servers and fronts alike. */
import type { AgentEvent } from '../../agent/channel/channel.ts';
import type { ListenedEvent, ThreadLog } from './thread-log.ts';

type Listener = Parameters<ThreadLog['listen']>[1];

export interface ThreadListeners extends Pick<ThreadLog, 'listen' | 'currentText'> {
  notify(thread: string, request: string, event: ListenedEvent): void;
  /** The threads that have a listener. */
  threads(): Iterable<string>;
  /** Adds a piece of the answer. `from`: its offset, from another process; a piece with a wrong offset is ignored. */
  addText(thread: string, piece: string, from?: number): number;
  endText(thread: string): void;
}

export function createThreadListeners(): ThreadListeners {
  const listeners = new Map<string, Set<Listener>>();
  const textsByThread = new Map<string, string>();
  return {
    notify(thread, request, listenedEvent) {
      for (const listener of listeners.get(thread) ?? []) listener(listenedEvent, request);
    },
    threads: () => listeners.keys(),
    listen(thread, listener) {
      const threadListeners = listeners.get(thread) ?? new Set();
      listeners.set(thread, threadListeners.add(listener));
      return () => {
        threadListeners.delete(listener);
        if (threadListeners.size === 0) listeners.delete(thread);
      };
    },
    addText(thread, piece, from) {
      const earlierText = textsByThread.get(thread) ?? '';
      if (from === undefined || from === earlierText.length) textsByThread.set(thread, earlierText + piece);
      return earlierText.length;
    },
    endText: (thread) => void textsByThread.delete(thread),
    currentText(thread) {
      const currentPiece = textsByThread.get(thread);
      return currentPiece === undefined
        ? null
        : { seq: null, event: { kind: 'text', piece: currentPiece, from: 0 } as AgentEvent };
    },
  };
}

/** Whether the answer's text ends with an event of this kind: all do except `tool_finished` and `steered`. */
export const endsText = (kind: string): boolean => kind !== 'tool_finished' && kind !== 'steered';

/** The event with the changes that its write made, before and after. */
export const addChanges = (
  event: AgentEvent,
  changesOf: (write: string) => readonly object[],
): AgentEvent & { readonly changes?: readonly object[] } =>
  event.kind === 'tool_finished' && event.write_id !== null
    ? { ...event, changes: changesOf(event.write_id) }
    : event;
