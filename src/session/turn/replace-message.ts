/**
 * Replaces a message of the person: the conversation returns to the state before it, and a new turn begins with the new
 * message.
 */
import { SondeError } from '../../core/index.ts';
import { uncut } from '../../model/dialogue/dialogue.ts';
import type { ThreadLease } from '../../store/index.ts';
import type { ThreadCheckpointer } from '../checkpoints/checkpointer.ts';
import { conversationGraph } from '../graph.ts';
import { checkUpdate } from '../graph-state.ts';
import { dropWithLease } from './drop-turn.ts';
import { readThreadState } from './thread-state.ts';
import type { TurnPorts } from './turn.ts';

interface Edit {
  readonly id: string;
  readonly text: string;
  readonly edits: string;
}

/**
 * The writes and checkpoints of the removed turns are kept. A repeated call changes nothing. Throws `not_found` for a
 * message that is not in the conversation.
 */
export async function replaceMessage(
  thread: string,
  { id, text, edits }: Edit,
  lease: ThreadLease,
  checkpointer: ThreadCheckpointer,
  ports: Pick<TurnPorts, 'sessions' | 'store' | 'limits' | 'clock'>,
): Promise<void> {
  const threadState = await readThreadState(thread, checkpointer);
  if (threadState.messages.some((each) => each.id === id)) return;
  const index = threadState.messages.findIndex((each) => each.kind === 'user' && each.id === edits);
  if (index < 0)
    throw new SondeError('not_found', {
      message: `${thread} has no message ${edits} of the person`,
      remedy: 'It was compacted, or belongs to another conversation; send a new message instead.',
    });
  if (threadState.unfinished) await dropWithLease(thread, lease, checkpointer, ports);
  const config = { configurable: { thread_id: thread } };
  // The graph only writes here: its models and tools are never used.
  const graph = conversationGraph({} as never, checkpointer);
  const { sent: _, ...learned } = (await graph.getState(config)).values['cut'] ?? uncut;
  await graph.updateState(
    config,
    checkUpdate({
      messages: {
        rewind: {
          after: threadState.messages[index - 1]?.id ?? null,
          through: null,
          form: { id, kind: 'user', text },
          more: [],
        },
      },
      end: null,
      cut: { ...learned, ...uncut },
    }),
    'gather',
  );
}
