/** Plans a prune: which runs and indexes it removes, and why the others are kept. Pure. */
import type { IndexFolder } from '../search/index-folders.ts';

export interface PrunableRun {
  readonly run_id: string;
  /** The file of the workspace if the run was a turn of a conversation; null for other runs. */
  readonly workspace: string | null;
  readonly thread: string | null;
  readonly question: string;
  /** Milliseconds since the Unix epoch. */
  readonly created: number;
  /** When a process last worked on it. */
  readonly updated: number;
  /** Whether it is finished, and no process works on it. */
  readonly finished: boolean;
  /** Whether a page cites the run, or the conversation that it belongs to. */
  readonly isCitedByPage: boolean;
}

export interface PruneTerms {
  /** Removes only what was unused for longer than this, in milliseconds; null: runs of any age, and no index. */
  readonly olderThan: number | null;
  /** How many of the newest finished runs are kept, whatever their age. */
  readonly keep: number;
}

export interface PrunePlan {
  readonly runs: readonly PrunableRun[];
  readonly indexes: readonly IndexFolder[];
  /** Runs that stay, counted by the first reason that applies. */
  readonly kept: { readonly unfinished: number; readonly behind_pages: number; readonly recent: number };
}

export function planPrune(
  { runs, indexes }: { readonly runs: readonly PrunableRun[]; readonly indexes: readonly IndexFolder[] },
  { olderThan, keep }: PruneTerms,
  now: number,
): PrunePlan {
  const isOld = (lastUsed: number): boolean => olderThan === null || now - lastUsed > olderThan;
  const finished = runs.filter((run) => run.finished).toSorted((a, b) => b.created - a.created);
  const uncited = finished.filter((run) => !run.isCitedByPage);
  const newest = new Set(finished.slice(0, keep));
  const removable = uncited.filter((run) => !newest.has(run) && isOld(run.updated));
  return {
    runs: removable,
    // `keep` does not apply to indexes, which can be rebuilt. Without `olderThan` none is removed.
    indexes: olderThan === null ? [] : indexes.filter(({ used }) => isOld(used)),
    kept: {
      unfinished: runs.length - finished.length,
      behind_pages: finished.length - uncited.length,
      recent: uncited.length - removable.length,
    },
  };
}
