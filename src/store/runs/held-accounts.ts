/**
 * The ledger rows of a held run, in memory; the run's commits store them. While the run is held, only its holder
 * changes its accounts.
 */
import { type LedgerLine, type LedgerRows, SondeError } from '../../core/index.ts';
import { throwLeaseLost } from '../../core/pools.ts';
import type { LoadedRun } from '../engine.ts';
import type { Outbox, RunHold } from '../outbox.ts';

type MutableLedgerLine = { -readonly [Field in keyof LedgerLine]: LedgerLine[Field] };

export interface HeldRowsPorts {
  readonly outbox: Outbox;
  /** The fence of this store's latest hold on the run; 0 if there was none. */
  readonly fenceOf: (run: string) => number;
}

export function createHeldRows(
  hold: RunHold,
  loaded: LoadedRun,
  { outbox, fenceOf }: HeldRowsPorts,
): LedgerRows {
  const accounts = new Map(
    loaded.accounts.map(({ id, account, lines }) => [id, { account, lines: lines.map(copyLine) }]),
  );
  const reservations = new Map(
    loaded.reservations.map((ledgerReservation) => [ledgerReservation.id, ledgerReservation]),
  );
  /** Fences of runs that this store doesn't hold. */
  const fences = new Map<string, number>();

  function listLinesUpwards(id: string): readonly (readonly MutableLedgerLine[])[] {
    const chain: (readonly MutableLedgerLine[])[] = [];
    for (let currentId: string | null = id; currentId !== null; ) {
      const heldAccount = accounts.get(currentId);
      if (heldAccount === undefined) break;
      chain.push(heldAccount.lines);
      currentId = heldAccount.account.parent;
    }
    return chain;
  }

  function edit(line: MutableLedgerLine, change: Partial<MutableLedgerLine>): void {
    const original = { ...line };
    const changedLine = { ...line, ...change };
    outbox.add(hold, { kind: 'line', line: changedLine }, () => Object.assign(line, original));
    Object.assign(line, changedLine);
  }

  const isOwn = (id: string, parent: string | null): boolean =>
    parent === null ? id === hold.run : id.startsWith(`${hold.run}/`) && accounts.has(parent);

  return {
    atomic: outbox.atomic,

    account: (id) => accounts.get(id)?.account,

    addAccount(id, account, lines) {
      if (!isOwn(id, account.parent)) throw foreignAccountError(id, hold);
      outbox.add(hold, { kind: 'account', id, account }, () => accounts.delete(id));
      const ownLines = lines.map(copyLine);
      accounts.set(id, { account, lines: ownLines });
      for (const line of ownLines) edit(line, {});
    },

    lines: (account) => listLinesUpwards(account).flat(),

    setCeiling(account, resource, ceiling) {
      for (const line of accounts.get(account)?.lines ?? [])
        if (line.resource === resource) edit(line, { ceiling });
    },

    change(account, resource, change, up) {
      for (const lines of listLinesUpwards(account).slice(0, up ? undefined : 1))
        for (const line of lines)
          if (line.resource === resource)
            edit(line, {
              held: line.held + change.held,
              spent: line.spent + change.spent,
              unknown: line.unknown + change.unknown,
            });
    },

    reservation: (id) => reservations.get(id),

    putReservation(reservation) {
      const { id } = reservation;
      const previous = reservations.get(id);
      outbox.add(hold, { kind: 'reservation', reservation }, () =>
        previous === undefined ? reservations.delete(id) : reservations.set(id, previous),
      );
      reservations.set(id, reservation);
    },

    dropReservation(id) {
      const removed = reservations.get(id);
      if (removed === undefined) return;
      outbox.add(hold, { kind: 'drop', reservation: id }, () => reservations.set(id, removed));
      reservations.delete(id);
    },

    openReservations: (run, below) =>
      [...reservations.values()].filter(
        ({ key, state }) => key.run === run && key.fence < below && state === 'open',
      ),

    fence: (run) => Math.max(run === hold.run ? hold.fence : fenceOf(run), fences.get(run) ?? 0),

    setFence(run, fence) {
      if (run === hold.run && fence > hold.fence) throwLeaseLost(run, hold.fence);
      fences.set(run, fence);
    },
  };
}

const copyLine = (line: LedgerLine): MutableLedgerLine => ({ ...line });

const foreignAccountError = (id: string, { run }: RunHold): SondeError =>
  new SondeError('pool_misuse', {
    message: `The account ${id} does not belong to ${run}`,
    remedy: `Name it ${run}, or ${run}/… below that; use the store's accounts for a budget that several runs share.`,
  });
