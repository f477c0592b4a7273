/** Ids of the writes of a piece of work, recorded so that a crash can't lose them. */
import type { TaskClients, TaskContext } from '../shape.ts';

type Site = Pick<TaskContext, 'clients' | 'subThread'>;

const keyOf = (subThread: string, nth: number) => `${subThread}/write-${nth}`;

/** In order of arrival, each once. */
export function* writesOf({ clients, subThread }: Site): Generator<string> {
  for (let nth = 0; ; nth += 1) {
    const id = clients.recorded.recall(keyOf(subThread, nth));
    if (typeof id !== 'string') return;
    yield id;
  }
}

/** The same clients, recording the writes of the tools. */
export function recordingWrites(site: Site): TaskClients {
  const { clients } = site;
  return {
    ...clients,
    tools: {
      list: () => clients.tools.list(),
      async call(request) {
        const result = await clients.tools.call(request);
        if (result.ok && result.write !== null) await recordWrite(result.write.write_id, site);
        return result;
      },
    },
  };
}

/** If two arrive together, the first keeps the number, and the other takes the next. */
async function recordWrite(id: string, site: Site): Promise<void> {
  for (let known = [...writesOf(site)]; !known.includes(id); known = [...writesOf(site)]) {
    const run = async () => ({ value: id, keep: true });
    const stepResult = await site.clients.step(keyOf(site.subThread, known.length), { cheap: true, run });
    // The write happened before the run was stopped; a later life repeats the call and gets the same write.
    if (stepResult.kind !== 'done') return;
  }
}
