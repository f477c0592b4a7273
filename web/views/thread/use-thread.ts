/** The state of a conversation: its messages, and what is happening in it now. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { after, type List, read, type Trouble, troubleOf } from '../../api/client.ts';
import { shareStream } from '../../api/streams.ts';
import type { Amounts, Change, Message, Thread, ThreadEvent } from '../../api/types.ts';

export interface LiveCall {
  readonly call: string;
  readonly name: string;
  readonly about: string;
  readonly ok: boolean | null;
  readonly note: string;
  readonly changes: readonly Change[];
}

export interface Talk {
  readonly thread: Thread | null;
  readonly messages: readonly Message[];
  /** Tool calls that wrote, each with its result once the server has sent that. */
  readonly calls: readonly LiveCall[];
  /** The text of the answer so far. */
  readonly text: string;
  readonly spent: Amounts | null;
  readonly running: boolean;
  readonly trouble: Trouble | null;
  readonly again: () => void;
}

const settleMs = 120;

async function messagesOf(path: string, signal: AbortSignal): Promise<readonly Message[]> {
  const found: Message[] = [];
  let next: string | null = null;
  do {
    const part: List<Message> = await read<List<Message>>(after(`${path}/messages`, next), signal);
    found.push(...part.items);
    next = part.next;
  } while (next !== null);
  return found;
}

export function useThread(id: string): Talk {
  const path = `/threads/${encodeURIComponent(id)}`;
  const [held, setHeld] = useState<Pick<Talk, 'thread' | 'messages' | 'trouble'>>({
    thread: null,
    messages: [],
    trouble: null,
  });
  const [live, setLive] = useState<Pick<Talk, 'calls' | 'text' | 'spent' | 'running'>>({
    calls: [],
    text: '',
    spent: null,
    running: false,
  });
  const again = useRef(() => {});

  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    async function load(): Promise<void> {
      const [thread, messages] = await Promise.all([
        read<Thread>(path, stop.signal),
        messagesOf(path, stop.signal),
      ]);
      if (stop.signal.aborted) return;
      setHeld({ thread, messages, trouble: null });
      // The finished answer is among the messages now, so the streamed text goes.
      if (thread.state !== 'running') setLive((now) => ({ ...now, text: '', running: false }));
      else setLive((now) => ({ ...now, running: true }));
    }
    const reload = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        load().catch((thrown: unknown) => {
          if (!stop.signal.aborted) setHeld((now) => ({ ...now, trouble: troubleOf(thrown) }));
        });
      }, settleMs);
    };
    again.current = reload;
    load().catch((thrown: unknown) => {
      if (!stop.signal.aborted) setHeld((now) => ({ ...now, trouble: troubleOf(thrown) }));
    });

    const hear = ({ event }: ThreadEvent): void => {
      switch (event.kind) {
        case 'text':
          setLive((now) => ({
            ...now,
            running: true,
            text: now.text.slice(0, event.from) + event.piece,
          }));
          return;
        case 'budget':
          setLive((now) => ({ ...now, spent: event.spent }));
          return;
        case 'turn_started':
          setLive((now) => ({ ...now, running: true, text: '' }));
          break;
        case 'tool_started': {
          const { call, name, about } = event;
          setLive((now) => ({
            ...now,
            text: '',
            running: true,
            calls: [
              ...now.calls.filter((one) => one.call !== call),
              { call, name, about, ok: null, note: '', changes: [] },
            ],
          }));
          break;
        }
        case 'tool_finished': {
          const { call, ok, note, changes = [] } = event;
          setLive((now) => ({
            ...now,
            calls: now.calls.map((one) => (one.call === call ? { ...one, ok, note, changes } : one)),
          }));
          break;
        }
      }
      reload();
    };
    const leave = shareStream(`${path}/events`, {
      event: ({ data }) => hear(JSON.parse(data) as ThreadEvent),
      anew: reload,
    });
    return () => {
      stop.abort();
      clearTimeout(timer);
      leave();
    };
  }, [path]);
  return { ...held, ...live, again: () => again.current() };
}
