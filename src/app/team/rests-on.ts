/** A host says on which runs its pages rest: whoever removes runs of the shared store can't see the pages. */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../core/index.ts';
import type { HostSeat } from '../../store/index.ts';
import { runsBehind } from '../../world/index.ts';
import type { OpenWorkspace } from '../workspace/workspace.ts';

export interface RestsOnOptions {
  readonly seat: Pick<HostSeat, 'recordReferences'>;
  readonly open: Pick<OpenWorkspace, 'world' | 'database'>;
  readonly signal: AbortSignal;
  readonly tell: (line: string) => void;
}

/** Often enough that what was said counts (`maxToldMs` in store/postgres/runs/prune-days.ts), and that a new citation is known soon. */
const everyMs = 5 * 60_000;
const againMs = 10_000;

/** Resolves when the signal aborts. */
export async function keepSayingRests({ seat, open, signal, tell }: RestsOnOptions): Promise<void> {
  let [head, on] = [-1, runsBehind(open.database)];
  let wasWell = true;
  while (!signal.aborted) {
    try {
      const now = open.world.head();
      if (now !== head) [head, on] = [now, runsBehind(open.database)];
      await seat.recordReferences(on);
      wasWell = true;
    } catch (thrown) {
      if (wasWell && !signal.aborted) tell(`what its pages rest on: ${messageOf(thrown)}`);
      wasWell = false;
    }
    await sleep(wasWell ? everyMs : againMs, undefined, { signal }).catch(() => {});
  }
}
