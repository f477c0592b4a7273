/** Decides which runs and indexes a prune removes, and why the others are kept. A pure function. */
import type { IndexFolder } from '../search/index-folders.ts';

export interface KeptRun {
  readonly run_id: string;
  /** The file of the workspace if the run was a turn of a conversation; null for other runs. */
  readonly workspace: string | null;
  readonly thread: string | null;
  readonly question: string;
  /** Milliseconds since the Unix epoch. */
  readonly created: number;
  /** When it was last worked on. */
  readonly updated: number;
  /** Whether it is finished, and no process works on it. */
  readonly finished: boolean;
  /** Whether a page cites it, or the conversation that it belongs to. */
  readonly behindPages: boolean;
}

export interface PruneTerms {
  /** Only what was unused for this long, in milliseconds; null: of any age. */
  readonly olderThan: number | null;
  /** How many of the newest finished runs are kept, whatever their age. */
  readonly keep: number;
}

export interface PrunePlan {
  readonly runs: readonly KeptRun[];
  readonly indexes: readonly IndexFolder[];
  /** Runs that stay, counted by the first reason that applies. */
  readonly kept: { readonly unfinished: number; readonly behind_pages: number; readonly recent: number };
}

export function planPrune(
  { runs, indexes }: { readonly runs: readonly KeptRun[]; readonly indexes: readonly IndexFolder[] },
  { olderThan, keep }: PruneTerms,
  now: number,
): PrunePlan {
  const old = (at: number): boolean => olderThan === null || now - at > olderThan;
  const finished = runs.filter((run) => run.finished).toSorted((a, b) => b.created - a.created);
  const uncited = finished.filter((run) => !run.behindPages);
  const newest = new Set(finished.slice(0, keep));
  const removable = uncited.filter((run) => !newest.has(run) && old(run.updated));
  return {
    runs: removable,
    // `keep` does not apply to indexes, which can be rebuilt. Without an age none is removed.
    indexes: olderThan === null ? [] : indexes.filter(({ used }) => old(used)),
    kept: {
      unfinished: runs.length - finished.length,
      behind_pages: finished.length - uncited.length,
      recent: uncited.length - removable.length,
    },
  };
}
