/**
 * Events of conversations for subscribers. Each is stored before it is sent, except the text of an unfinished answer
 * and the current cost, which are only sent.
 */
import type { AgentEvent } from '../agent/channel.ts';
import type { Heard } from '../agent/channel-client.ts';
import type { ApiRecords, ThreadEvent } from './records.ts';

/** Without a number: the event is not stored. */
export type Told = ThreadEvent | { readonly seq: null; readonly event: { readonly kind: string } };

export interface ThreadLog {
  after(thread: string, seq: number): readonly ThreadEvent[] | Promise<readonly ThreadEvent[]>;
  /** The text of an unfinished answer; null if there is none. */
  currentWords(thread: string): Told | null;
  /** `request`: the message whose turn it belongs to. */
  listen(thread: string, heard: (told: Told, request: string) => void): () => void;
}

export interface ThreadLogOptions {
  readonly records: Pick<ApiRecords, 'keepThreadEvent' | 'threadEvents'>;
  readonly workspace: string;
  readonly onEvent: (heard: Heard) => () => void;
  /** The changes of a write: texts before and after. */
  readonly changesOf: (write: string) => readonly object[];
}

/** Maximum events that are read at once. */
const maxEvents = 500;

export function openThreadLog(options: ThreadLogOptions): ThreadLog {
  const { records, workspace, onEvent, changesOf } = options;
  const listeners = new Map<string, Set<(told: Told, request: string) => void>>();
  /** By thread, the text so far of each unfinished answer. */
  const texts = new Map<string, string>();
  const tell = (thread: string, request: string, told: Told): void => {
    for (const heard of listeners.get(thread) ?? []) heard(told, request);
  };

  onEvent((thread, event, request) => {
    if (event.kind === 'text') {
      const before = texts.get(thread) ?? '';
      texts.set(thread, before + event.piece);
      return tell(thread, request, { seq: null, event: { ...event, from: before.length } as AgentEvent });
    }
    if (event.kind === 'budget') return tell(thread, request, { seq: null, event });
    // Text beside a call ends with the call.
    if (event.kind !== 'tool_finished' && event.kind !== 'steered') texts.delete(thread);
    const changes =
      event.kind === 'tool_finished' && event.write_id !== null ? { changes: changesOf(event.write_id) } : {};
    tell(thread, request, records.keepThreadEvent(workspace, thread, { ...event, ...changes }));
  });

  return {
    after: (thread, seq) => records.threadEvents(workspace, thread, seq, maxEvents),
    currentWords(thread) {
      const piece = texts.get(thread);
      return piece === undefined
        ? null
        : { seq: null, event: { kind: 'text', piece, from: 0 } as AgentEvent };
    },
    listen(thread, heard) {
      const set = listeners.get(thread) ?? new Set();
      listeners.set(thread, set.add(heard));
      return () => {
        set.delete(heard);
        if (set.size === 0) listeners.delete(thread);
      };
    },
  };
}
