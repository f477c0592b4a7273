/** Ids of the writes of a piece of work, recorded so that a crash can't lose them. */
import type { TaskClients, TaskContext } from '../shape.ts';

type WriteLog = Pick<TaskContext, 'clients' | 'subThread'>;

const writeKey = (subThread: string, nth: number) => `${subThread}/write-${nth}`;

/** The ids of the recorded writes in order of arrival, each once. */
export function* writeIdsOf({ clients, subThread }: WriteLog): Generator<string> {
  for (let nth = 0; ; nth += 1) {
    const id = clients.recorded.recall(writeKey(subThread, nth));
    if (typeof id !== 'string') return;
    yield id;
  }
}

/** Wraps the clients, so that the writes of their tools are recorded. */
export function recordingWrites(writeLog: WriteLog): TaskClients {
  const { clients } = writeLog;
  return {
    ...clients,
    tools: {
      list: () => clients.tools.list(),
      async call(request) {
        const result = await clients.tools.call(request);
        if (result.ok && result.write !== null) await recordWrite(result.write.write_id, writeLog);
        return result;
      },
    },
  };
}

/** If two arrive at the same time, the first gets the number, and the other the next one. */
async function recordWrite(id: string, writeLog: WriteLog): Promise<void> {
  for (
    let knownIds = [...writeIdsOf(writeLog)];
    !knownIds.includes(id);
    knownIds = [...writeIdsOf(writeLog)]
  ) {
    const run = async () => ({ value: id, keep: true });
    const stepResult = await writeLog.clients.step(writeKey(writeLog.subThread, knownIds.length), {
      deferCommit: true,
      run,
    });
    // The write happened before the run was stopped; a later life repeats the call and gets the same write.
    if (stepResult.kind !== 'done') return;
  }
}
