/**
 * The engine of a store: it reads, writes and checks fences. All decisions (budgets, existing keys, event numbers) were
 * made in memory by code that all engines share. An implementer must not: keep part of a batch, accept a write under a
 * hold that is not the latest of its run, report something as kept before it survives `kill -9`, or keep a
 * transaction open while it waits for its caller.
 */
import type { LedgerAccount, LedgerLine, LedgerReservation, LoggedEvent } from '../core/index.ts';
import type { Actor } from './audit.ts';
import type { Outbox, RunHold } from './outbox.ts';
import type { Accounts, CommitOptions, NewRun, RunRow, RunTable, Snapshot } from './store.ts';

/** The state of a run when its worker acquired it. */
export interface LoadedRun {
  readonly run: string;
  readonly fence: number;
  /** By key, as JSON, byte for byte as written. */
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
  /** Every write first stores what waits in the outbox. */
  readonly runs: Omit<RunTable, 'begin' | 'acquire' | 'finish'>;
  readonly accounts: Accounts;
  readonly outbox: Outbox;
  /**
   * Like `Runs.acquire`. The fence and the loaded state are of one moment: nothing is written under an older fence in
   * between.
   */
  acquire(id: string): Promise<LoadedRun>;
  /** Like `Runs.begin`. Row and lease are stored together, or neither is. */
  begin(run: NewRun, by?: Actor): Promise<{ readonly row: RunRow; readonly loaded: LoadedRun }>;
  /** Rejects with `lease_lost`. Also stores what waits, like `release`. */
  renew(hold: RunHold): Promise<void>;
  release(hold: RunHold): Promise<void>;
  /** Whether the hold is still the latest of its run and not released. */
  isHeld(hold: RunHold): Promise<boolean>;
  /** Stores all writes that wait, and sets `ended` on the holds that have lost their run. */
  flush(hold: RunHold, options: CommitOptions): Promise<void>;
  events(run: string, after: number): Promise<readonly LoggedEvent[]>;
  lastEvent(run: string): Promise<LoggedEvent | null>;
  records(run: string): Promise<ReadonlyMap<string, string>>;
  snapshot(run: string, node: string): Promise<Snapshot | null>;
  /** Releases all holds that it took. */
  close(): Promise<void>;
}
