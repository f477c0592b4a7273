/** Starts a new conversation as a copy of another at one of its checkpoints. */
import { SondeError } from '../../core/index.ts';
import type { Sessions, ThreadRow } from '../../store/index.ts';
import { conversationGraph } from '../graph.ts';
import { checkUpdate } from '../graph-state.ts';
import { readThread } from './thread-state.ts';
import { withThread } from './with-thread.ts';

export interface Fork {
  readonly from: string;
  /** One of `listCheckpoints`; absent: the last. */
  readonly checkpoint?: string;
  /** The new conversation. */
  readonly to: string;
  readonly title?: string;
}

/**
 * An unfinished turn in the copy can be continued or dropped. Throws `not_found`, and `run_state` if a thread with the
 * new name exists.
 */
export async function forkThread(
  { from, checkpoint, to, title }: Fork,
  sessions: Pick<Sessions, 'threads' | 'checkpoints'>,
): Promise<ThreadRow> {
  const { threads, checkpoints } = sessions;
  const original = await threads.get(from);
  if (
    checkpoint !== undefined &&
    (await checkpoints.get({ thread: from, namespace: '', id: checkpoint })) === undefined
  )
    throw new SondeError('not_found', {
      message: `${from} has no checkpoint ${checkpoint}`,
      remedy: '/checkpoints in sonde chat, or GET /api/v1/threads/ID/checkpoints, lists those it has.',
    });
  const { messages, end, cut } = await readThread(from, checkpoints, checkpoint);
  await threads.create({ id: to, title: title ?? original.title, channel: original.channel });
  await withThread(to, sessions, async (_, checkpointer) => {
    if (messages.length === 0) return;
    // The graph only writes here: its models and tools are never used.
    const graph = conversationGraph({} as never, checkpointer);
    const update = checkUpdate({ messages: [...messages], end, ...(cut && { cut }) });
    await graph.updateState({ configurable: { thread_id: to } }, update, 'gather');
  });
  return threads.get(to);
}
