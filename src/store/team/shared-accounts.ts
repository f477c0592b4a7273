/** The accounts that belong to no run. Each call is decided and stored at once, and any process may make it. */
import {
  type Balance,
  isSondeError,
  type Ledger,
  type LedgerRows,
  type Limits,
  SondeError,
} from '../../core/index.ts';
import { ledgerFromRows } from '../../core/pools.ts';
import type { AuditedAct } from '../audit.ts';
import type { Accounts } from '../store.ts';

/** `mayBeHeld`: whether the run has a holder that may be alive, even if its lease has expired. */
export function createSharedAccounts(
  rows: LedgerRows,
  mayBeHeld: (run: string) => boolean,
  keep: (acted: AuditedAct) => void = () => {},
): Accounts {
  const ledger = ledgerFromRows(guardRows(rows, mayBeHeld));
  return toAsyncAccounts({
    ...ledger,
    relimit(account, limits, acted) {
      rows.atomic(() => {
        ledger.relimit(account, limits);
        if (acted !== undefined) keep(acted);
      });
    },
  });
}

interface AuditedLedger extends Omit<Ledger, 'relimit'> {
  relimit(account: string, limits: Limits, acted?: AuditedAct): void;
}

function toAsyncAccounts(ledger: AuditedLedger): Accounts {
  return Object.freeze({
    open: async (account) => ledger.open(account),
    relimit: async (account, limits, acted) => ledger.relimit(account, limits, acted),
    reserve: async (request) => ledger.reserve(request),
    settle: async (reservation, actual) => ledger.settle(reservation, actual),
    release: async (reservation) => ledger.release(reservation),
    charge: async (account, amounts) => ledger.charge(account, amounts),
    balance: async (account) => ledger.balance(account),
    recover: async (run, fence) => ledger.recover(run, fence),
  } satisfies Accounts);
}

/** Wraps ledger rows: refuses changes of accounts that a worker holds in memory. */
export function guardRows(rows: LedgerRows, mayBeHeld: (run: string) => boolean): LedgerRows {
  function findRoot(id: string): string {
    const parent = rows.account(id)?.parent ?? null;
    return parent === null ? id : findRoot(parent);
  }
  function requireUnheld(account: string): void {
    const root = findRoot(account);
    if (!mayBeHeld(root)) return;
    throw new SondeError('pool_misuse', {
      message: `A worker holds ${root}, and with it the account ${account}`,
      remedy: 'Use an account that is named like no run for a budget that several workers share.',
    });
  }
  return {
    ...rows,
    addAccount(id, account, lines) {
      requireUnheld(account.parent ?? id);
      rows.addAccount(id, account, lines);
    },
    setCeiling(account, resource, ceiling) {
      requireUnheld(account);
      rows.setCeiling(account, resource, ceiling);
    },
    change(account, resource, change, upwards) {
      requireUnheld(account);
      rows.change(account, resource, change, upwards);
    },
    putReservation(reservation) {
      requireUnheld(reservation.account);
      rows.putReservation(reservation);
    },
    dropReservation(id) {
      const found = rows.reservation(id);
      if (found !== undefined) requireUnheld(found.account);
      rows.dropReservation(id);
    },
  };
}

/** The balance of an account, such as a run's budget; null if there is no such account. */
export async function readBalance(
  { accounts }: { readonly accounts: Accounts },
  account: string,
): Promise<Balance | null> {
  return accounts.balance(account).catch((thrown: unknown) => {
    if (isSondeError(thrown, 'pool_misuse')) return null;
    throw thrown;
  });
}
