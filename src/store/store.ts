/**
 * The store: runs, their logs, journals, leases and budgets. A run is one writer under one fence. From
 * `acquire` on its worker has all of it in memory: journal, log and the accounts named like it. Reading and
 * deciding (`recall`, `reserve`, `remaining`) answer at once, from there; writing collects, and `commit`
 * keeps what was collected, all or nothing. What was not committed is lost with its process, the last first
 * and without gaps, as if it had not been done. An implementer must not: report a commit as done before it
 * survives `kill -9`, keep anything of a worker with an old fence, keep twice what is sent twice, leave a
 * transaction open while a worker waits, or open a second writer connection in one process.
 */
import type { Journal, Ledger, LoggedEvent, RunLog } from '../core/index.ts';
import type { Holder } from './holder.ts';

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
  /** Extends the lease. Rejects with `lease_lost` where another worker has taken over. */
  renew(): Promise<void>;
  /**
   * Gives the run back, together with what waits to be committed; nothing more can be written under this
   * lease. Does nothing where it is lost.
   */
  release(): Promise<void>;
}

/** Promises reject with the errors that are named. */
export interface Runs {
  /** Throws `run_state` where the id is taken. */
  create(run: Omit<RunRow, 'status' | 'created' | 'updated'>): Promise<RunRow>;
  /** An unambiguous beginning of an id will do. Throws `not_found`, or `bad_argument` where several begin so. */
  get(id: string): Promise<RunRow>;
  /** Newest first. */
  list(limit?: number): Promise<readonly RunRow[]>;
  /** Marks the run as finished, with the next commit; the lease stays. Throws `lease_lost`. */
  finish(id: string, lease: Lease): void;
  /**
   * Takes the lease, with a fence higher than every one before, and reads what its worker needs: from then on that is
   * in memory. Throws `run_state` while its holder is alive: a holder on this machine whose process is gone is not alive, whatever the lease says, and one that has not
   * renewed its lease in time is not, whatever the process does.
   */
  acquire(id: string): Promise<Lease>;
  /** Is somebody working on it now? */
  held(id: string): Promise<boolean>;
  /** Its worker; null: none. */
  holder(id: string): Promise<Holder | null>;
  /**
   * Removes the journal, the snapshots and the reservations of a finished run, and its log but the first and the last event.
   * Throws `run_state` where it is running or held.
   */
  prune(id: string): Promise<void>;
  /** Bytes that the log, the journal and the snapshots of a run take, about. */
  size(id: string): Promise<number>;
  /**
   * Removes a finished run whole: its row, log, journal, snapshots, lease and budget. Throws `run_state` where it is
   * running or held, or where work that is not finished is paid from its budget.
   */
  remove(id: string): Promise<void>;
  /** Gives the room that was freed back to the disk. False where another process is in the way; nothing is lost then. */
  compact(): Promise<boolean>;
}

/** A session in the sandbox as it stood after so many cells. */
export interface Snapshot {
  readonly cells: number;
  readonly bytes: Uint8Array;
}

/** The latest snapshot of each session of a run. Writing throws `lease_lost` where the fence is old. */
export interface Snapshots {
  /** Replaces the one before. */
  save(node: string, snapshot: Snapshot): void;
  /** Null where there is none. */
  load(node: string): Promise<Snapshot | null>;
  drop(node: string): void;
}

export interface CommitOptions {
  /** Waited for until it is on the disk, and all that came before it: makes a difference in a store opened `unsynced`. */
  readonly onDisk?: boolean;
}

/**
 * The verbs of a ledger, each decided and kept by itself when its promise resolves: several processes never
 * overspend together. They reject with `pool_misuse` for an account that a worker holds. A run's share of a
 * budget above several runs is reserved here before it begins, and settled once it has ended: no step waits
 * for an account that others write.
 */
export type Accounts = {
  readonly [Verb in keyof Ledger]: (...asked: Parameters<Ledger[Verb]>) => Promise<ReturnType<Ledger[Verb]>>;
};

/** A lifetime: opened on a file, closed by its owner. */
export interface Store {
  readonly path: string;
  readonly runs: Runs;
  /** The accounts that belong to no run, and what was committed of those of runs. */
  readonly accounts: Accounts;
  /**
   * The accounts of the run: the one named like it, and all below, named with a slash after it. They are its
   * worker's alone while it is held, decided in memory and kept by `commit`. Reservations on them carry the
   * name of the run. Throws `pool_misuse` for any other account.
   */
  ledger(lease: Lease): Ledger;
  /** Those that were committed. Reading needs no lease. */
  events(run: string, after?: number): Promise<readonly LoggedEvent[]>;
  log(lease: Lease): RunLog;
  journal(lease: Lease): Journal;
  snapshots(lease: Lease): Snapshots;
  /** What was recorded by now, for a replay: no lease, no writes. */
  recorded(run: string): Promise<Pick<Journal, 'recall'>>;
  /**
   * Everything written in it is kept by one commit, or nothing: a reply that is recorded, settled and logged in one go
   * is paid for once whatever happens. A failure inside must be let out. Synchronous: `work` may not wait for anything.
   */
  atomic<Value>(work: () => Value): Value;
  /**
   * Keeps all that was written until now, under this lease and others. Resolves once it is durable, with the number
   * of the last event of the run's log; called again, it keeps nothing twice. Rejects with `lease_lost`, and nothing
   * of this lease is kept then.
   */
  commit(lease: Lease, options?: CommitOptions): Promise<number>;
  /** Gives back the leases taken through it. */
  close(): Promise<void>;
}
