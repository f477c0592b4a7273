/** The rows of a ledger, without its decisions: a store that keeps these rows becomes a ledger by `ledgerFromRows`. */
import type { Units } from './amounts.ts';
import type { ReservationKey, Resource } from './budget.ts';

/** One resource of one account, in whole units. */
export interface LedgerLine {
  readonly account: string;
  readonly resource: Resource;
  readonly ceiling: number | null;
  readonly kept: number;
  readonly spent: number;
  readonly held: number;
  readonly unknown: number;
}

export interface LedgerAccount {
  readonly parent: string | null;
  /** The terms it was first opened on, as text to compare. */
  readonly opened: string;
}

export interface LedgerReservation {
  readonly id: string;
  readonly key: ReservationKey;
  readonly account: string;
  readonly asked: Units;
  readonly state: 'open' | 'settled' | 'recovered';
  /** The actual cost; null while the reservation is open. */
  readonly spent: Units | null;
}

/** The amounts added to a row. */
export type LedgerChange = Readonly<Record<'held' | 'spent' | 'unknown', number>>;

/** A store of rows. It decides nothing: it stores the rows that it receives. */
export interface LedgerRows {
  /** Runs `work` as a whole or not at all; nobody else writes meanwhile. */
  atomic<Value>(work: () => Value): Value;
  account(id: string): LedgerAccount | undefined;
  addAccount(id: string, account: LedgerAccount, lines: readonly LedgerLine[]): void;
  /**
   * The lines of the account and then of each of its ancestors up to the root, in the order of `resources`;
   * empty if the account is unknown.
   */
  lines(account: string): readonly LedgerLine[];
  setCeiling(account: string, resource: Resource, ceiling: number | null): void;
  /** Adds to the line of the account, and with `upwards` to the lines of its ancestors. */
  change(account: string, resource: Resource, change: LedgerChange, upwards: boolean): void;
  reservation(id: string): LedgerReservation | undefined;
  /** Inserts or replaces. */
  putReservation(reservation: LedgerReservation): void;
  dropReservation(id: string): void;
  openReservations(run: string, belowFence: number): readonly LedgerReservation[];
  /** The latest known fence of a run; 0 if there is none. */
  fence(run: string): number;
  setFence(run: string, fence: number): void;
}
