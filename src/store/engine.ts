/**
 * The engine of a store: it reads, writes and checks fences. Code that all engines share makes all decisions (budgets,
 * existing keys, event numbers) in memory. An implementer must not: store part of a batch, accept a write under a hold
 * that is not the latest of its run, report something as stored before it survives `kill -9`, or keep a transaction
 * open while it waits for its caller.
 */
import type { LedgerAccount, LedgerLine, LedgerReservation, LoggedEvent } from '../core/index.ts';
import type { Actor } from './audit.ts';
import type { Outbox, RunHold } from './outbox.ts';
import type { Accounts, CommitOptions, NewRun, RunRow, RunTable, Snapshot } from './store.ts';

/** The state of a run when its worker acquired it. */
export interface LoadedRun {
  readonly run: string;
  readonly fence: number;
  /** JSON by key, byte for byte as it was written. */
  readonly records: ReadonlyMap<string, string>;
  readonly events: readonly LoggedEvent[];
  /** The account with the name of the run and all accounts below it, parents first. */
  readonly accounts: readonly StoredAccount[];
  /** Open reservations on these accounts. */
  readonly reservations: readonly LedgerReservation[];
}

export interface StoredAccount {
  readonly id: string;
  readonly account: LedgerAccount;
  readonly lines: readonly LedgerLine[];
}

export interface Engine {
  readonly path: string;
  /** Each of its writes first stores the writes of the outbox. */
  readonly runs: Omit<RunTable, 'begin' | 'acquire' | 'finish'>;
  readonly accounts: Accounts;
  readonly outbox: Outbox;
  /**
   * Like `RunTable.acquire`. The fence and the loaded state belong together: no write under an older fence comes
   * between.
   */
  acquire(id: string): Promise<LoadedRun>;
  /** Like `RunTable.begin`. Row and lease are stored together, or neither is. */
  begin(run: NewRun, by?: Actor): Promise<{ readonly row: RunRow; readonly loaded: LoadedRun }>;
  /** Stores the writes of the outbox, and extends the lease. Rejects with `lease_lost`. */
  renew(hold: RunHold): Promise<void>;
  release(hold: RunHold): Promise<void>;
  /** Whether the hold is the latest of its run and not released. */
  isHeld(hold: RunHold): Promise<boolean>;
  /** Stores the writes of the outbox, and sets `ended` on holds that have lost their run. */
  flush(hold: RunHold, options: CommitOptions): Promise<void>;
  events(run: string, after: number): Promise<readonly LoggedEvent[]>;
  lastEvent(run: string): Promise<LoggedEvent | null>;
  records(run: string): Promise<ReadonlyMap<string, string>>;
  snapshot(run: string, node: string): Promise<Snapshot | null>;
  /** Releases all holds that this engine took. */
  close(): Promise<void>;
}
