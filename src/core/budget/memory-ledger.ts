import type { Ledger } from './budget.ts';
import { ledgerFromRows } from './ledger-from-rows.ts';
import type { LedgerAccount, LedgerLine, LedgerReservation, LedgerRows } from './ledger-rows.ts';

export interface LedgerTables {
  readonly accounts: Map<string, LedgerAccount>;
  /** Lines by account. */
  readonly lines: Map<string, readonly LedgerLine[]>;
  readonly reservations: Map<string, LedgerReservation>;
  /** Fences by run. */
  readonly fences: Map<string, number>;
}

export function createLedgerTables(): LedgerTables {
  return { accounts: new Map(), lines: new Map(), reservations: new Map(), fences: new Map() };
}

/** A ledger that lives as long as the process: for tests, and for work that need not survive. */
export function memoryLedger(): Ledger {
  return ledgerFromRows(memoryRows(createLedgerTables()));
}

/**
 * A ledger checks before it changes anything and never waits in between, so that nothing has to be rolled back.
 */
export function memoryRows({ accounts, lines, reservations, fences }: LedgerTables): LedgerRows {
  function listAncestry(account: string): readonly string[] {
    const ids: string[] = [];
    for (let id: string | null = account; id !== null; id = accounts.get(id)?.parent ?? null) ids.push(id);
    return ids;
  }

  function edit(account: string, resource: string, change: (line: LedgerLine) => Partial<LedgerLine>): void {
    const ledgerLines = lines.get(account) ?? [];
    lines.set(
      account,
      ledgerLines.map((line) => (line.resource === resource ? { ...line, ...change(line) } : line)),
    );
  }

  return {
    atomic: (work) => work(),
    account: (id) => accounts.get(id),
    addAccount(id, account, ledgerLines) {
      accounts.set(id, account);
      lines.set(id, ledgerLines);
    },
    lines: (account) => listAncestry(account).flatMap((id) => lines.get(id) ?? []),
    setCeiling: (account, resource, ceiling) => edit(account, resource, () => ({ ceiling })),
    change(account, resource, { held, spent, unknown }, toRoot) {
      for (const id of toRoot ? listAncestry(account) : [account]) {
        edit(id, resource, (line) => ({
          held: line.held + held,
          spent: line.spent + spent,
          unknown: line.unknown + unknown,
        }));
      }
    },
    reservation: (id) => reservations.get(id),
    putReservation: (reservation) => reservations.set(reservation.id, reservation),
    dropReservation: (id) => reservations.delete(id),
    openReservations: (run, below) =>
      [...reservations.values()].filter(
        ({ key, state }) => key.run === run && key.fence < below && state === 'open',
      ),
    fence: (run) => fences.get(run) ?? 0,
    setFence: (run, fence) => fences.set(run, fence),
  };
}
