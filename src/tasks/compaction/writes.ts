/** Ids of the writes that a piece of work made, kept where a crash can't lose them. */
import type { TaskClients, TaskContext } from '../shape.ts';

type Site = Pick<TaskContext, 'clients' | 'subThread'>;

const keyOf = (subThread: string, nth: number) => `${subThread}/write-${nth}`;

/** Recorded as they come, each once, in the order in which they came. */
export function* writesOf({ clients, subThread }: Site): Generator<string> {
  for (let nth = 0; ; nth += 1) {
    const id = clients.journal.recall(keyOf(subThread, nth));
    if (typeof id !== 'string') return;
    yield id;
  }
}

/** The same clients, with an eye on what the tools write. */
export function recordingWrites(site: Site): TaskClients {
  const { clients, subThread } = site;
  return {
    ...clients,
    tools: {
      list: () => clients.tools.list(),
      async call(request) {
        const result = await clients.tools.call(request);
        if (result.ok && result.write !== null) {
          const known = [...writesOf(site)];
          if (!known.includes(result.write.write_id))
            clients.journal.record(keyOf(subThread, known.length), result.write.write_id);
        }
        return result;
      },
    },
  };
}
