/** How a conversation stands, read from its last checkpoint. */
import { type BaseCheckpointSaver, START } from '@langchain/langgraph';
import { SondeError } from '../core/index.ts';
import type { Checkpoints } from '../store/index.ts';
import { ThreadCheckpointer } from './checkpointer.ts';
import { conversationGraph } from './graph.ts';
import type { TurnEnd } from './graph-state.ts';
import { type Message, withUpdate } from './messages.ts';

/** What a thread waits for. */
export interface Question {
  readonly id: string;
  readonly value: unknown;
}

export interface ThreadState {
  readonly messages: readonly Message[];
  /** Of the last turn; null while it is not over. */
  readonly end: TurnEnd | null;
  /** A turn was begun and can be gone on with. */
  readonly unfinished: boolean;
  readonly questions: readonly Question[];
  /** Sub-threads at work, by call. */
  readonly inFlight: Readonly<Record<string, string>>;
}

/** What a turn begins with. */
interface Begun {
  readonly messages: readonly Message[];
}

export async function threadState(thread: string, checkpointer: BaseCheckpointSaver): Promise<ThreadState> {
  // Only looks: what it would ask with is never used.
  const graph = conversationGraph({} as never, checkpointer);
  const config = { configurable: { thread_id: thread } };
  const { values, next, tasks } = await graph.getState(config);
  const held = (values['messages'] ?? []) as readonly Message[];
  // A turn that has just begun: what was said lies beside the history, until the next checkpoint.
  const begun = next.includes(START)
    ? ((await checkpointer.getTuple(config))?.checkpoint.channel_values[START] as Begun | undefined)
    : undefined;
  return {
    messages: begun === undefined ? held : withUpdate(held, begun.messages),
    end: begun === undefined ? ((values['end'] ?? null) as TurnEnd | null) : null,
    inFlight: (values['inFlight'] ?? {}) as ThreadState['inFlight'],
    unfinished: next.length > 0,
    questions: tasks.flatMap(({ interrupts }) =>
      interrupts.map(({ id, value }) => ({ id: id ?? '', value: value as unknown })),
    ),
  };
}

/** For those who look and write nothing, also while a worker advances it. */
export function readThread(thread: string, checkpoints: Checkpoints): Promise<ThreadState> {
  return threadState(
    thread,
    new ThreadCheckpointer({
      checkpoints,
      leaseOf() {
        throw new SondeError('internal', { message: `Who only looks at ${thread} writes to it` });
      },
    }),
  );
}
