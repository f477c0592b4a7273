/**
 * The store: runs, their logs, journals, leases and budgets. A run has one writer, under one fence. `acquire` loads the
 * journal, the log and the run's accounts into the worker's memory. Reads and decisions (`recall`, `reserve`,
 * `remaining`) are answered from memory; writes are buffered, and `commit` stores them, all or nothing. If the process
 * ends, uncommitted writes are lost as if they had not happened. An implementer must not: report a commit as done
 * before it survives `kill -9`, store anything from a worker with an old fence, store twice what is sent twice, leave a
 * transaction open while a worker waits, or open a second writer connection in one process.
 */
import type { Journal, Ledger, Limits, LoggedEvent, RunLog } from '../core/index.ts';
import type { Actor, AuditedAct } from './audit.ts';
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

/** The right to advance a run; one worker holds it at a time. */
export interface Lease {
  readonly run: string;
  /** Grows by one each time the lease is taken; writes under an older fence are refused. */
  readonly fence: number;
  /** Extends the lease. Rejects with `lease_lost` if another worker has taken over. */
  renew(): Promise<void>;
  /**
   * Commits the buffered writes and releases the run; nothing more can be written under this lease. Does nothing if it
   * is lost.
   */
  release(): Promise<void>;
}

export type NewRun = Omit<RunRow, 'status' | 'created' | 'updated'>;

/** Promises reject with the named errors. */
export interface RunTable {
  /** Throws `run_state` if the id is taken. */
  create(run: NewRun, by?: Actor): Promise<RunRow>;
  /** `create` and `acquire` in one commit. Throws like `create`. */
  begin(run: NewRun, by?: Actor): Promise<Begun>;
  /**
   * Finds a run by its id or an unambiguous prefix of it. Throws `not_found`, or `bad_argument` if several ids have the
   * prefix.
   */
  get(id: string): Promise<RunRow>;
  /** Newest first. */
  list(limit?: number): Promise<readonly RunRow[]>;
  /** Marks the run as finished, with the next commit; the lease stays. Throws `lease_lost`. */
  finish(id: string, lease: Lease): void;
  /**
   * Takes the lease, with a higher fence than all before, and loads the run into memory. Throws `run_state` while its
   * holder is alive. A holder counts as dead if its process on this machine is gone, or if it has not renewed its lease
   * in time.
   */
  acquire(id: string): Promise<Lease>;
  /** Whether a live worker holds it. */
  isHeld(id: string): Promise<boolean>;
  /** The live worker that holds it; null if there is none. */
  holder(id: string): Promise<Holder | null>;
  /**
   * Removes the journal, snapshots and reservations of a finished run, and its log except the first and last event.
   * Throws `run_state` if it is running or held.
   */
  prune(id: string): Promise<void>;
  /** The approximate size of a run's log, journal and snapshots, in bytes. */
  size(id: string): Promise<number>;
  /**
   * Removes a finished run completely: row, log, journal, snapshots, lease and budget. Throws `run_state` if it is
   * running or held, or if its budget pays for unfinished work.
   */
  remove(id: string, by?: Actor): Promise<void>;
  /** Returns free space to the disk. False if another process prevents it; nothing is lost then. */
  compact(): Promise<boolean>;
}

/** A new run, and the right to work on it. */
export interface Begun {
  readonly row: RunRow;
  readonly lease: Lease;
}

/** The state of a sandbox session after a number of cells. */
export interface Snapshot {
  readonly cells: number;
  readonly bytes: Uint8Array;
}

/** The latest snapshot of each session of a run. Writing throws `lease_lost` if the fence is old. */
export interface Snapshots {
  /** Replaces the previous snapshot of the session. */
  save(node: string, snapshot: Snapshot): void;
  /** Null for none. */
  load(node: string): Promise<Snapshot | null>;
  drop(node: string): void;
}

export interface CommitOptions {
  /** Waits until this and all earlier commits are on the disk; only needed in a store opened `unsynced`. */
  readonly onDisk?: boolean;
}

/**
 * The operations of a ledger on accounts that no worker holds. Each is decided and stored before its promise resolves,
 * so that several processes never overspend together. They reject with `pool_misuse` for an account that a worker
 * holds. If several runs share a budget, the share of each run is reserved here before it begins and settled after its
 * end, so that no step waits for other writers.
 */
export type Accounts = {
  readonly [Verb in Exclude<keyof Ledger, 'relimit'>]: (
    ...asked: Parameters<Ledger[Verb]>
  ) => Promise<ReturnType<Ledger[Verb]>>;
} & {
  relimit(account: string, limits: Limits, acted?: AuditedAct): Promise<void>;
};

/** Whoever opens a store closes it. */
export interface Store {
  readonly path: string;
  readonly runs: RunTable;
  /** The accounts that belong to no run, and the committed state of the others. */
  readonly accounts: Accounts;
  /**
   * The accounts of the run: the one with its name, and those whose names begin with that name and a slash. While the
   * run is held, only its worker changes them, in memory, and `commit` stores the changes. Reservations on them name
   * the run. Throws `pool_misuse` for any other account.
   */
  ledger(lease: Lease): Ledger;
  /** Committed events. Reading needs no lease. */
  events(run: string, after?: number): Promise<readonly LoggedEvent[]>;
  /** The last committed event, without reading those before it. Null for an empty log. */
  lastEvent(run: string): Promise<LoggedEvent | null>;
  log(lease: Lease): RunLog;
  journal(lease: Lease): Journal;
  snapshots(lease: Lease): Snapshots;
  /** The recorded values, for a replay. Needs no lease. */
  openRecorded(run: string): Promise<Pick<Journal, 'recall'>>;
  /**
   * Writes inside are stored by one commit or not at all, so that a reply that is recorded, settled and logged together
   * is paid for once. Exceptions inside must propagate. `work` must be synchronous.
   */
  atomic<Value>(work: () => Value): Value;
  /**
   * Stores all buffered writes, under this lease and others. Resolves once they are durable, with the number of the
   * last event in the run's log. Safe to repeat. Rejects with `lease_lost`; then nothing of this lease is stored.
   */
  commit(lease: Lease, options?: CommitOptions): Promise<number>;
  /** Releases the leases that this store has taken. */
  close(): Promise<void>;
}
