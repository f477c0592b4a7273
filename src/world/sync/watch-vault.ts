import { setTimeout as sleep } from 'node:timers/promises';
import type { Workspace } from '../vault/vault.ts';
import { resolvePlace } from '../vault/walk-vault.ts';
import { openFolderWatch } from './folder-watch.ts';
import type { SyncReport, WatchOptions } from './sync.ts';
import { syncVault } from './sync-vault.ts';

/** From a first change to the pass: what belongs to it comes along. Milliseconds, as all below. */
const gatherMs = 100;
/** How often the log of the workspace is looked at. */
const lookMs = 300;
/** A whole pass at least this often, for changes that no event reports. */
const everyMs = 30_000;
const polledMs = 2000;
/** A pass may take so much of the time where everything is polled. */
const share = 10;

/** See `sync.ts`. */
export async function watchVault(workspace: Workspace, options: WatchOptions): Promise<void> {
  const { signal, onPass, onFailure, deleteMissing = false, ...pass } = options;
  let isFirst = true;
  const folder = openFolderWatch(resolvePlace(options).root);
  try {
    for (let stands = ''; !signal.aborted; ) {
      const head = workspace.world.head();
      folder.startPass();
      const begun = performance.now();
      let again = false;
      try {
        const report = await syncVault(workspace, {
          ...pass,
          signal,
          deleteMissing: deleteMissing && isFirst,
          onFolders: folder.follow,
        });
        isFirst = false;
        again = report.waiting.length > 0;
        const stood = stands;
        stands = JSON.stringify([report.conflicts, report.problems]);
        if (hasDone(report) || stands !== stood) onPass(report);
      } catch (error) {
        onFailure(error);
      }
      const took = performance.now() - begun;
      const pause = folder.isPolling() ? Math.max(polledMs, share * took) : everyMs;
      await untilChanged(workspace, folder, head, again ? gatherMs : pause, signal);
    }
  } finally {
    folder.close();
  }
}

async function untilChanged(
  { world }: Workspace,
  folder: { readonly isTouched: () => boolean },
  head: number,
  longest: number,
  signal: AbortSignal,
): Promise<void> {
  const begun = performance.now();
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});
  while (!signal.aborted && performance.now() - begun < longest) {
    await pause(Math.min(lookMs, longest));
    if (!folder.isTouched() && world.head() === head) continue;
    await pause(gatherMs);
    return;
  }
}

function hasDone({ pulled, pushed, merged, renamed, deleted, attachments }: SyncReport): boolean {
  const { new: fresh, changed, removed } = attachments;
  return (
    [pulled, pushed, merged, renamed, deleted].some(({ length }) => length > 0) ||
    fresh + changed + removed > 0
  );
}
