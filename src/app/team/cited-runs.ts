/** Reports which runs the pages of a host cite, since processes that prune the shared store can't see the pages. */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../core/index.ts';
import type { HostSeat } from '../../store/index.ts';
import { findReferencedRuns } from '../../world/index.ts';
import type { OpenWorkspace } from '../workspace/workspace.ts';

export interface CitedRunsOptions {
  readonly seat: Pick<HostSeat, 'recordReferences'>;
  readonly open: Pick<OpenWorkspace, 'world' | 'database'>;
  readonly signal: AbortSignal;
  readonly tell: (line: string) => void;
}

/** Shorter than the time for which a report is valid (store/postgres/runs/prune-days.ts). Milliseconds. */
const everyMs = 5 * 60_000;
const againMs = 10_000;

/** Resolves when the signal aborts. */
export async function reportCitedRuns({ seat, open, signal, tell }: CitedRunsOptions): Promise<void> {
  let [head, runs] = [-1, findReferencedRuns(open.database)];
  let hasSucceeded = true;
  while (!signal.aborted) {
    try {
      const newHead = open.world.head();
      if (newHead !== head) [head, runs] = [newHead, findReferencedRuns(open.database)];
      await seat.recordReferences(runs);
      hasSucceeded = true;
    } catch (thrown) {
      if (hasSucceeded && !signal.aborted) tell(`what its pages rest on: ${messageOf(thrown)}`);
      hasSucceeded = false;
    }
    await sleep(hasSucceeded ? everyMs : againMs, undefined, { signal }).catch(() => {});
  }
}
