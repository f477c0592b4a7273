import { setTimeout as sleep } from 'node:timers/promises';
import type { Workspace } from '../vault/vault.ts';
import { resolvePlace } from '../vault/walk-vault.ts';
import { openFolderWatch } from './folder-watch.ts';
import type { SyncReport, WatchOptions } from './sync.ts';
import { syncVault } from './sync-vault.ts';

/** Milliseconds between the first change and the pass, so that the pass includes related changes. */
const delayMs = 100;
/** Milliseconds between two reads of the workspace's log. */
const pollLogMs = 300;
/** Maximum milliseconds between two passes, in case the file system does not report a change. */
const maxIntervalMs = 30_000;
/** Minimum milliseconds between two passes if the folder is polled. */
const minPollMs = 2000;
/** If the folder is polled, the pause is at least this many times as long as the last pass. */
const minPauseFactor = 10;

/** Syncs after each change, until the signal aborts. The options are explained in `sync.ts`. */
export async function watchVault(workspace: Workspace, options: WatchOptions): Promise<void> {
  const { signal, onPass, onFailure, deleteMissing = false, ...pass } = options;
  let isFirst = true;
  const folder = openFolderWatch(resolvePlace(options).root);
  try {
    for (let problems = ''; !signal.aborted; ) {
      const head = workspace.world.head();
      folder.startPass();
      const startedAt = performance.now();
      let mustRepeat = false;
      try {
        const report = await syncVault(workspace, {
          ...pass,
          signal,
          deleteMissing: deleteMissing && isFirst,
          onFolders: folder.setFolders,
        });
        isFirst = false;
        mustRepeat = report.waiting.length > 0;
        const problemsBefore = problems;
        problems = JSON.stringify([report.conflicts, report.problems]);
        if (hasChanges(report) || problems !== problemsBefore) onPass(report);
      } catch (error) {
        onFailure(error);
      }
      const durationMs = performance.now() - startedAt;
      const pause = folder.isPolling() ? Math.max(minPollMs, minPauseFactor * durationMs) : maxIntervalMs;
      await waitForChange(workspace, folder, head, mustRepeat ? delayMs : pause, signal);
    }
  } finally {
    folder.close();
  }
}

async function waitForChange(
  { world }: Workspace,
  folder: { readonly isTouched: () => boolean },
  head: number,
  maxMs: number,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = performance.now();
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});
  while (!signal.aborted && performance.now() - startedAt < maxMs) {
    await pause(Math.min(pollLogMs, maxMs));
    if (!folder.isTouched() && world.head() === head) continue;
    await pause(delayMs);
    return;
  }
}

function hasChanges({ pulled, pushed, merged, renamed, deleted, attachments }: SyncReport): boolean {
  const { new: newCount, changed, removed } = attachments;
  return (
    [pulled, pushed, merged, renamed, deleted].some(({ length }) => length > 0) ||
    newCount + changed + removed > 0
  );
}
