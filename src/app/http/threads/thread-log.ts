/**
 * Events of conversations for subscribers. Each is stored before it is sent, except the text of an unfinished answer
 * and the current cost, which are only sent.
 */
import type { AgentEvent } from '../../agent/channel/channel.ts';
import type { AgentEventListener } from '../../agent/channel/channel-client.ts';
import type { ApiRecords, ThreadEvent } from '../records.ts';
import { endsText, openAudience, withChanges } from './thread-audience.ts';

/** An event as listeners get it; `seq` null: the event is not stored. */
export type ListenedEvent = ThreadEvent | { readonly seq: null; readonly event: { readonly kind: string } };

export interface ThreadLog {
  after(thread: string, seq: number): readonly ThreadEvent[] | Promise<readonly ThreadEvent[]>;
  /** The text of an unfinished answer; null if there is none. */
  currentWords(thread: string): ListenedEvent | null;
  /** `request`: the message that started the turn of the event. */
  listen(thread: string, heard: (told: ListenedEvent, request: string) => void): () => void;
}

export interface ThreadLogOptions {
  readonly records: Pick<ApiRecords, 'keepThreadEvent' | 'threadEvents'>;
  readonly workspace: string;
  readonly onEvent: (heard: AgentEventListener) => () => void;
  /** The changes of a write: texts before and after. */
  readonly changesOf: (write: string) => readonly object[];
}

/** Maximum events that are read at once. */
const maxEvents = 500;

export function openThreadLog(options: ThreadLogOptions): ThreadLog {
  const { records, workspace, onEvent, changesOf } = options;
  const { tell, addText, endText, currentWords, listen } = openAudience();

  onEvent((thread, event, request) => {
    if (event.kind === 'text') {
      const from = addText(thread, event.piece);
      return tell(thread, request, { seq: null, event: { ...event, from } as AgentEvent });
    }
    if (event.kind === 'budget') return tell(thread, request, { seq: null, event });
    if (endsText(event.kind)) endText(thread);
    tell(thread, request, records.keepThreadEvent(workspace, thread, withChanges(event, changesOf)));
  });

  return {
    after: (thread, seq) => records.threadEvents(workspace, thread, seq, maxEvents),
    currentWords,
    listen,
  };
}
