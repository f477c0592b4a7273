/** Abandons an unfinished turn, so that the conversation can go on with something else. */
import type { Sessions, ThreadLease } from '../../store/index.ts';
import type { ThreadCheckpointer } from '../checkpoints/checkpointer.ts';
import { conversationGraph } from '../graph.ts';
import { openCalls } from '../graph-state.ts';
import type { Message } from '../history/messages.ts';
import { withThread } from './held-thread.ts';
import { threadState } from './thread-state.ts';
import { beginRun, type LifePorts, runTurnLife } from './turn-life.ts';
import { resultOf, type TurnResult, turnEndedEvent } from './turn-result.ts';
import { lastUser, nothingTo, runOf } from './turn-start.ts';

/**
 * Abandons a turn. Its messages and its writes are kept; an open question is withdrawn, and a call without a result
 * gets one that says so. Repeating it changes nothing. Throws `not_found`, and `run_state` if there is nothing to drop,
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
  const before = await threadState(thread, checkpointer);
  const message = lastUser(before.messages);
  if (message === undefined || (!before.unfinished && before.end?.kind !== 'dropped'))
    throw nothingTo('drop', thread);
  const run = runOf(thread, message.id);
  if (!before.unfinished && (await store.runs.get(run)).status === 'finished')
    return resultOf(thread, run, before);
  await beginRun(run, { thread, message }, ports);
  return runTurnLife(run, lease, ports, async (life) => {
    if (before.unfinished) {
      const config = { configurable: { thread_id: thread } };
      // The graph only writes here: its models and tools are never used.
      const graph = conversationGraph({} as never, checkpointer);
      const held = ((await graph.getState(config)).values['messages'] ?? []) as readonly Message[];
      await graph.updateState(
        config,
        {
          // If the turn has just begun, its message is not in the history yet.
          messages: [
            ...before.messages.slice(held.length),
            ...openCalls(before.messages).map(closeUnanswered),
          ],
          inFlight: Object.fromEntries(Object.keys(before.inFlight).map((call) => [call, ''])),
          end: { kind: 'dropped' },
        },
        'gather',
      );
    }
    const result = resultOf(thread, run, await threadState(thread, checkpointer));
    life.pool.close();
    await life.finish(turnEndedEvent(life, result, 'none'));
    await sessions.threads.touch(lease);
    return result;
  });
}

function closeUnanswered({ id, name }: { readonly id: string; readonly name: string }): Message {
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
