/** The state of a conversation, read from its last checkpoint. */
import { type BaseCheckpointSaver, START } from '@langchain/langgraph';
import { SondeError } from '../../core/index.ts';
import type { DialogueCut } from '../../model/index.ts';
import type { Checkpoints } from '../../store/index.ts';
import { ThreadCheckpointer } from '../checkpoints/checkpointer.ts';
import { conversationGraph } from '../graph.ts';
import type { TurnEnd } from '../graph-state.ts';
import { applyUpdate, type Message } from '../history/messages.ts';

/** A question that a thread waits for. */
export interface Question {
  readonly id: string;
  readonly value: unknown;
}

export interface ThreadState {
  readonly messages: readonly Message[];
  /** The end of the last turn; null while it runs. */
  readonly end: TurnEnd | null;
  /** Whether there is a turn that has begun and can be continued. */
  readonly unfinished: boolean;
  readonly questions: readonly Question[];
  /** The part of the dialogue that was cut to fit the planner's window; absent before the first call of the planner. */
  readonly cut?: DialogueCut;
  /** The time of the last change; 0 if nothing was said yet. Milliseconds since the Unix epoch. */
  readonly at: number;
  /** Ids of running sub-threads, by the id of the tool call that began them. */
  readonly inFlight: Readonly<Record<string, string>>;
}

/** The input that a turn began with. */
interface TurnInput {
  readonly messages: readonly Message[];
}

export async function readThreadState(
  thread: string,
  checkpointer: BaseCheckpointSaver,
  checkpoint?: string,
): Promise<ThreadState> {
  // The graph only reads here: its models and tools are never used.
  const graph = conversationGraph({} as never, checkpointer);
  const config = {
    configurable: { thread_id: thread, ...(checkpoint !== undefined && { checkpoint_id: checkpoint }) },
  };
  const { values, next, tasks, createdAt } = await graph.getState(config);
  const storedMessages = (values['messages'] ?? []) as readonly Message[];
  // At the start of a turn, its message is stored outside the history until the next checkpoint.
  const startInput = next.includes(START)
    ? ((await checkpointer.getTuple(config))?.checkpoint.channel_values[START] as TurnInput | undefined)
    : undefined;
  return {
    messages: startInput === undefined ? storedMessages : applyUpdate(storedMessages, startInput.messages),
    end: startInput === undefined ? ((values['end'] ?? null) as TurnEnd | null) : null,
    inFlight: (values['inFlight'] ?? {}) as ThreadState['inFlight'],
    ...(values['cut'] !== undefined && { cut: values['cut'] as DialogueCut }),
    at: createdAt === undefined ? 0 : Date.parse(createdAt),
    unfinished: next.length > 0,
    questions: tasks.flatMap(({ interrupts }) =>
      interrupts.map(({ id, value }) => ({ id: id ?? '', value: value as unknown })),
    ),
  };
}

/** Reads the current state, or that of a checkpoint, also while a worker advances the thread. */
export function readThread(
  thread: string,
  checkpoints: Checkpoints,
  checkpoint?: string,
): Promise<ThreadState> {
  return readThreadState(
    thread,
    new ThreadCheckpointer({
      checkpoints,
      leaseOf() {
        throw new SondeError('internal', { message: `A read-only view of ${thread} tried to write to it` });
      },
    }),
    checkpoint,
  );
}
