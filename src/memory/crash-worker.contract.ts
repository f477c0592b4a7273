/**
 * A worker that tests kill: writes, replaces, forgets and scrubs, and prints each acknowledged step as a JSON line.
 * Started as `node crash-worker.contract.ts FOLDER FROM`.
 */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../store/index.ts';
import { tiers } from './memory.ts';
import { openMemory } from './open-memory.ts';

export const place = { thread: 't1', channel: 'c1' };

export const openFolder = (folder: string) => {
  const databases = ['w.db', 'account.db'].map((file) =>
    openDatabase({ path: join(folder, file), schemas: [], busyMs: 5000 }),
  );
  const [workspace, account] = databases as [(typeof databases)[0], (typeof databases)[0]];
  const memory = openMemory({ workspace, workspaceId: 'w', account });
  return { memory, close: () => databases.forEach((db) => void db.close()) };
};

/** Step `n` of the work: the same in every process, under the same key. */
export function step(view: ReturnType<ReturnType<typeof openFolder>['memory']['viewFrom']>, n: number) {
  const tier = tiers[n % tiers.length]!;
  const by = { writer: 'agent crash', idempotencyKey: `step ${n}` };
  const key = `k${n % 40}`;
  return n % 9 === 8 ? view.forget(tier, key, by) : view.put({ tier, key, text: `text of step ${n}` }, by);
}

const [folder, from] = process.argv.slice(2);
if (folder !== undefined && from !== undefined) {
  const { memory } = openFolder(folder);
  const view = memory.viewFrom(place);
  for (let n = Number(from); n < 100_000; n += 1) {
    writeSync(1, `${JSON.stringify({ n, result: step(view, n) })}\n`);
    if (n % 50 === 49) {
      const { items } = memory.scrub({ tier: 'account' });
      writeSync(1, `${JSON.stringify({ n, scrubbed: items })}\n`);
    }
  }
}
