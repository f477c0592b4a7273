/** Drops an unfinished turn, so that the conversation can continue with something else. */
import type { Sessions, ThreadLease } from '../../store/index.ts';
import type { ThreadCheckpointer } from '../checkpoints/checkpointer.ts';
import { conversationGraph } from '../graph.ts';
import { findOpenCalls } from '../graph-state.ts';
import type { Message } from '../history/messages.ts';
import { readThreadState } from './thread-state.ts';
import { beginRun, type LifePorts, runTurnLife } from './turn-life.ts';
import { createTurnEndedEvent, type TurnResult, toTurnResult } from './turn-result.ts';
import { createNothingToError, findLastUser, runIdOf } from './turn-start.ts';
import { withThread } from './with-thread.ts';

/**
 * Drops a turn. Its messages and its writes are kept. An open question is withdrawn, and a call without a result gets
 * one that says so. A repeated call changes nothing. Throws `not_found`, and `run_state` if there is nothing to drop,
 * or while another worker has the thread.
 */
export function dropTurn(
  thread: string,
  ports: LifePorts & { readonly sessions: Sessions },
): Promise<TurnResult> {
  return withThread(thread, ports.sessions, (lease, checkpointer) =>
    dropWithLease(thread, lease, checkpointer, ports),
  );
}

/** The same, for a caller that holds the thread. */
export async function dropWithLease(
  thread: string,
  lease: ThreadLease,
  checkpointer: ThreadCheckpointer,
  ports: LifePorts & { readonly sessions: Sessions },
): Promise<TurnResult> {
  const { sessions, store } = ports;
  const threadState = await readThreadState(thread, checkpointer);
  const message = findLastUser(threadState.messages);
  if (message === undefined || (!threadState.unfinished && threadState.end?.kind !== 'dropped'))
    throw createNothingToError('drop', thread);
  const run = runIdOf(thread, message.id);
  if (!threadState.unfinished && (await store.runs.get(run)).status === 'finished')
    return toTurnResult(thread, run, threadState);
  await beginRun(run, { thread, message }, ports);
  return runTurnLife(run, lease, ports, async (life) => {
    if (threadState.unfinished) {
      const config = { configurable: { thread_id: thread } };
      // The graph only writes here: its models and tools are never used.
      const graph = conversationGraph({} as never, checkpointer);
      const storedMessages = ((await graph.getState(config)).values['messages'] ?? []) as readonly Message[];
      await graph.updateState(
        config,
        {
          // If the turn has just begun, its message is not in the history yet.
          messages: [
            ...threadState.messages.slice(storedMessages.length),
            ...findOpenCalls(threadState.messages).map(createDroppedResult),
          ],
          inFlight: Object.fromEntries(Object.keys(threadState.inFlight).map((call) => [call, ''])),
          end: { kind: 'dropped' },
        },
        'gather',
      );
    }
    const result = toTurnResult(thread, run, await readThreadState(thread, checkpointer));
    life.pool.close();
    await life.finish(createTurnEndedEvent(life, result, 'none'));
    await sessions.threads.touch(lease);
    return result;
  });
}

function createDroppedResult({ id, name }: { readonly id: string; readonly name: string }): Message {
  return {
    id: `m-${id}`,
    kind: 'tool',
    call: id,
    name,
    ok: false,
    text: 'The person dropped this turn; whether the call came to an end is not known.',
    write_ids: [],
    reads: [],
    origins: [],
  };
}
