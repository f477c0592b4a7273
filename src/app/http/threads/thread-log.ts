/**
 * Events of conversations for subscribers. Each is stored before it is sent, except the text of an unfinished answer
 * and the current cost, which are only sent.
 */
import type { AgentEvent } from '../../agent/channel/channel.ts';
import type { AgentEventListener } from '../../agent/channel/channel-client.ts';
import type { ApiRecords, ThreadEvent } from '../records.ts';
import { addChanges, createThreadListeners, endsText } from './thread-audience.ts';

/** An event as listeners get it; `seq` null: the event is not stored. */
export type ListenedEvent = ThreadEvent | { readonly seq: null; readonly event: { readonly kind: string } };

export interface ThreadLog {
  after(thread: string, seq: number): readonly ThreadEvent[] | Promise<readonly ThreadEvent[]>;
  /** The text of an unfinished answer; null if there is none. */
  currentText(thread: string): ListenedEvent | null;
  /** `request`: the id of the message that started the event's turn. */
  listen(thread: string, listener: (event: ListenedEvent, request: string) => void): () => void;
}

export interface ThreadLogOptions {
  readonly records: Pick<ApiRecords, 'storeThreadEvent' | 'threadEvents'>;
  readonly workspace: string;
  readonly onEvent: (listener: AgentEventListener) => () => void;
  /** The changes of a write: the texts before and after it. */
  readonly changesOf: (write: string) => readonly object[];
}

/** Maximum events that are read at once. */
const maxEvents = 500;

export function openThreadLog(options: ThreadLogOptions): ThreadLog {
  const { records, workspace, onEvent, changesOf } = options;
  const { notify: tell, addText, endText, currentText, listen } = createThreadListeners();

  onEvent((thread, event, request) => {
    if (event.kind === 'text') {
      const textOffset = addText(thread, event.piece);
      return tell(thread, request, { seq: null, event: { ...event, from: textOffset } as AgentEvent });
    }
    if (event.kind === 'budget') return tell(thread, request, { seq: null, event });
    if (endsText(event.kind)) endText(thread);
    tell(thread, request, records.storeThreadEvent(workspace, thread, addChanges(event, changesOf)));
  });

  return {
    after: (thread, seq) => records.threadEvents(workspace, thread, seq, maxEvents),
    currentText: currentText,
    listen,
  };
}
