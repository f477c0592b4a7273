/** How a conversation stands, read from its last checkpoint. */
import { type BaseCheckpointSaver, START } from '@langchain/langgraph';
import { SondeError } from '../../core/index.ts';
import type { Checkpoints } from '../../store/index.ts';
import { ThreadCheckpointer } from '../checkpoints/checkpointer.ts';
import { conversationGraph } from '../graph.ts';
import type { TurnEnd } from '../graph-state.ts';
import { type Message, withUpdate } from '../history/messages.ts';

/** What a thread waits for. */
export interface Question {
  readonly id: string;
  readonly value: unknown;
}

export interface ThreadState {
  readonly messages: readonly Message[];
  /** The end of the last turn; null while it runs. */
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
  // Only reads: its models and tools are never used.
  const graph = conversationGraph({} as never, checkpointer);
  const config = { configurable: { thread_id: thread } };
  const { values, next, tasks } = await graph.getState(config);
  const held = (values['messages'] ?? []) as readonly Message[];
  // For a turn that has just begun: what was said is kept beside the history, until the next checkpoint.
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

/** For readers, also while a worker advances the thread. */
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
