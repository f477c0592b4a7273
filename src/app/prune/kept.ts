/** What a prune would remove, and why it leaves the rest: a pure function over what there is. */
import type { IndexFolder } from '../search/index-folders.ts';

export interface KeptRun {
  readonly run_id: string;
  /** The file of the workspace in whose conversations it was; null: of its own. */
  readonly workspace: string | null;
  readonly thread: string | null;
  readonly question: string;
  /** Milliseconds since the Unix epoch. */
  readonly created: number;
  /** When it was worked on last. */
  readonly updated: number;
  /** Finished, and held by nobody. */
  readonly finished: boolean;
  /** A page rests on it, or on the conversation that it belongs to. */
  readonly behindPages: boolean;
}

export interface PruneTerms {
  /** Only what was unused for this long, in milliseconds; null: whatever its age. */
  readonly olderThan: number | null;
  /** The newest finished runs that stay, whatever their age. */
  readonly keep: number;
}

export interface PrunePlan {
  readonly runs: readonly KeptRun[];
  readonly indexes: readonly IndexFolder[];
  /** Runs that stay, by the first reason that holds. */
  readonly kept: { readonly unfinished: number; readonly behind_pages: number; readonly recent: number };
}

export function planPrune(
  { runs, indexes }: { readonly runs: readonly KeptRun[]; readonly indexes: readonly IndexFolder[] },
  { olderThan, keep }: PruneTerms,
  now: number,
): PrunePlan {
  const old = (at: number): boolean => olderThan === null || now - at > olderThan;
  const finished = runs.filter((run) => run.finished).toSorted((a, b) => b.created - a.created);
  const free = finished.filter((run) => !run.behindPages);
  const newest = new Set(finished.slice(0, keep));
  const gone = free.filter((run) => !newest.has(run) && old(run.updated));
  return {
    runs: gone,
    // An index is made again when it is needed: only its age counts, and without one none is in the way.
    indexes: olderThan === null ? [] : indexes.filter(({ used }) => old(used)),
    kept: {
      unfinished: runs.length - finished.length,
      behind_pages: finished.length - free.length,
      recent: free.length - gone.length,
    },
  };
}
