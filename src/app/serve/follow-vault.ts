/** Synchronises a folder of notes with the workspace while the server runs. */
import { resolve } from 'node:path';
import { messageOf } from '../../core/index.ts';
import type { OpenWorkspace } from '../workspace/workspace.ts';

/** Returns a function that ends it. Throws the errors of a first sync, such as for a folder of another workspace. */
export async function followVault(
  open: Pick<OpenWorkspace, 'sync' | 'watch'>,
  folder: string,
  tell: (line: string) => void,
): Promise<() => Promise<void>> {
  const root = resolve(folder);
  const stop = new AbortController();
  // A first dry run reports problems with the folder as an error at the start.
  await open.sync({ root, dryRun: true, quietMs: 0 });
  const watchEnd = open
    .watch({
      root,
      signal: stop.signal,
      onPass({ pulled, pushed, merged, renamed, deleted, conflicts }) {
        const counts = { pulled, pushed, merged, renamed, deleted, conflicts };
        const changes = Object.entries(counts).flatMap(([name, { length }]) =>
          length > 0 ? [`${length} ${name}`] : [],
        );
        tell(`vault: ${changes.length > 0 ? changes.join(', ') : 'nothing had changed'}`);
      },
      onFailure: (error) => tell(`vault: ${messageOf(error)}`),
    })
    .catch((error: unknown) => tell(`vault: ${messageOf(error)}`));
  return async () => {
    stop.abort();
    await watchEnd;
  };
}
