/**
 * The store: one SQLite database for runs, their logs, journals, leases and budgets.
 *
 * An implementer must not: acknowledge before the row is durable against `kill -9`, let a worker with an old
 * fence write, or open a second writer connection in one process.
 */
import type { Journal, Ledger, LoggedEvent, RunLog } from '../core/index.ts';

export type RunStatus = 'running' | 'finished';

export interface RunRow {
  readonly id: string;
  readonly shape: string;
  readonly question: string;
  /** Absolute path of the material. */
  readonly root: string;
  /** Everything needed to start the run again, without secrets. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly status: RunStatus;
  /** Milliseconds since the Unix epoch. */
  readonly created: number;
  readonly updated: number;
}

/** The right to advance a run, held by one worker at a time. */
export interface Lease {
  readonly run: string;
  /** Grows by one with every take-over; rows written under an older fence are refused. */
  readonly fence: number;
  /** Extends the lease. Throws `lease_lost` where another worker has taken over. */
  renew(): void;
  release(): void;
}

export interface Runs {
  create(run: Omit<RunRow, 'status' | 'created' | 'updated'>): RunRow;
  /** Throws `not_found`. An unambiguous beginning of an id will do. */
  get(id: string): RunRow;
  /** Newest first. */
  list(limit?: number): readonly RunRow[];
  finish(id: string, lease: Lease): void;
  /**
   * Takes the lease. Throws `run_state` while its holder is alive (a holder on this machine whose process is
   * gone is not alive, whatever the lease says).
   */
  acquire(id: string): Lease;
  /** Is somebody working on it now? */
  held(id: string): boolean;
  /** Removes log and journal of a finished run but its first and last event. */
  prune(id: string): void;
}

/** A lifetime: opened on a file, closed by its owner. */
export interface Store {
  readonly path: string;
  readonly runs: Runs;
  readonly ledger: Ledger;
  /** Reading needs no lease. */
  events(run: string, after?: number): readonly LoggedEvent[];
  log(lease: Lease): RunLog;
  journal(lease: Lease): Journal;
  /** What was recorded, for a replay: no lease, no writes. */
  recorded(run: string): Pick<Journal, 'recall'>;
  close(): void;
}
