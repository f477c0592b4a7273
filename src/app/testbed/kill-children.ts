/** Kills the children of a process that perform its runs, as a run would that nothing can survive. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ChildKiller {
  /** Gives how many were killed. */
  stop(): Promise<number>;
}

export function killRunProcesses(pid: number): ChildKiller {
  const listChildren = (): readonly number[] =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  // One that was killed may still be listed when its parent is slow.
  const killed = new Set<number>();
  const stopController = new AbortController();
  const killLoop = (async () => {
    while (!stopController.signal.aborted) {
      // Git and others, which the worker starts too, are none.
      for (const child of listChildren())
        if (readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('run-process')) {
          process.kill(child, 'SIGKILL');
          killed.add(child);
        }
      await sleep(20);
    }
  })();
  return {
    async stop() {
      stopController.abort();
      await killLoop.catch(() => {});
      return killed.size;
    },
  };
}
