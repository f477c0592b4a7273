/** Lists the checkpoints of a conversation, from which a fork can begin. */
import type { Checkpoints } from '../../store/index.ts';
import type { TurnEnd } from '../graph-state.ts';
import type { Message } from '../history/messages.ts';
import { readThread } from './thread-state.ts';

export interface CheckpointNote {
  readonly id: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly messages: number;
  /** The last message. */
  readonly last: Message | null;
  /** How the turn had ended at this checkpoint; null: it was still running. */
  readonly end: TurnEnd['kind'] | null;
  /** Whether the conversation waits for an answer. */
  readonly asks: boolean;
}

/** The last checkpoint first; `before`: only those before this checkpoint. */
export async function listCheckpoints(
  thread: string,
  checkpoints: Checkpoints,
  { limit, before }: { readonly limit: number; readonly before?: string },
): Promise<readonly CheckpointNote[]> {
  const query = { thread, namespace: '', limit, ...(before !== undefined && { before }) };
  return Promise.all(
    (await checkpoints.heads(query)).map(async ({ id }): Promise<CheckpointNote> => {
      const { messages, end, questions, at } = await readThread(thread, checkpoints, id);
      return {
        id,
        at,
        messages: messages.length,
        last: messages.at(-1) ?? null,
        end: end?.kind ?? null,
        asks: questions.length > 0,
      };
    }),
  );
}
