/**
 * What an engine does for the store: it finds, keeps and fences. Decisions (budgets, the value of a key that
 * is there already, numbers of events) were made before, in memory, the same for every engine. An implementer
 * must not: keep a part of a batch, keep anything of a hold that is not the latest of its run, report
 * something as kept before it survives `kill -9`, or have a transaction open while it waits for its caller.
 */
import type { LedgerAccount, LedgerLine, LedgerReservation, LoggedEvent } from '../core/index.ts';
import type { Hold, Outbox } from './outbox.ts';
import type { Accounts, CommitOptions, Runs, Snapshot } from './store.ts';

/** What the worker of a run has of it, as it was when it took the run. */
export interface Loaded {
  readonly run: string;
  readonly fence: number;
  /** By their keys, as JSON, byte for byte as they were written. */
  readonly records: ReadonlyMap<string, string>;
  readonly events: readonly LoggedEvent[];
  /** Those named like the run and all below, the ones above first. */
  readonly accounts: readonly HeldAccount[];
  /** What is open on them. */
  readonly reservations: readonly LedgerReservation[];
}

export interface HeldAccount {
  readonly id: string;
  readonly account: LedgerAccount;
  readonly lines: readonly LedgerLine[];
}

export interface Engine {
  readonly path: string;
  /** What writes takes along what waits in the outbox, before it. */
  readonly runs: Omit<Runs, 'acquire' | 'finish'>;
  readonly accounts: Accounts;
  readonly outbox: Outbox;
  /**
   * As `Runs.acquire`. The fence and what is read are of one moment: nothing is written under an older fence
   * in between.
   */
  acquire(id: string): Promise<Loaded>;
  /** Rejects with `lease_lost`. Takes along what waits, and so does `release`. */
  renew(hold: Hold): Promise<void>;
  release(hold: Hold): Promise<void>;
  /** Is it still the latest of its run, and not given back? */
  isHeld(hold: Hold): Promise<boolean>;
  /** Keeps all that waits by now, and marks the holds that have lost their run as ended. */
  flush(hold: Hold, options: CommitOptions): Promise<void>;
  events(run: string, after: number): Promise<readonly LoggedEvent[]>;
  records(run: string): Promise<ReadonlyMap<string, string>>;
  snapshot(run: string, node: string): Promise<Snapshot | null>;
  /** Gives back all its holds. */
  close(): Promise<void>;
}
