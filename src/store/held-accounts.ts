/**
 * The rows of a ledger, those of the runs that this store holds in memory. A run is one writer: an account named
 * like it, and all below it, are its own, and nobody else changes them while it is held.
 */
import {
  type LedgerAccount,
  type LedgerLine,
  type LedgerRows,
  leaseLost,
  SondeError,
} from '../core/index.ts';
import type { Hold } from './collected.ts';
import type { Holds } from './holds.ts';

type Line = { -readonly [Field in keyof LedgerLine]: LedgerLine[Field] };

/** What this store holds of one run. */
interface Accounts {
  readonly hold: Hold;
  readonly accounts: Map<string, { readonly account: LedgerAccount; readonly lines: readonly Line[] }>;
  readonly reservations: Map<string, NonNullable<ReturnType<LedgerRows['reservation']>>>;
}

/** `shared` changes the database at once. */
export function heldRows(shared: LedgerRows, holds: Holds): LedgerRows {
  const { collected } = holds;
  const byRun = new Map<string, Accounts>();
  /** Is a decision being made, from what is read to what is changed? */
  let deciding = false;
  const again = new Error('to be decided in a transaction');

  /** Those of the run whose account stands at the root of `id`; null where this store does not hold it. */
  function owner(id: string, parent?: string | null): Accounts | null {
    for (const [run, own] of byRun)
      if (own.hold.ended) byRun.delete(run);
      else if (own.accounts.has(parent ?? id)) return own;
    const root = parent === null ? id : rootOf(parent ?? id);
    const hold = holds.own(root);
    if (hold === undefined) return null;
    const own = byRun.get(root) ?? { hold, accounts: new Map(), reservations: new Map() };
    byRun.set(root, own);
    return own;
  }

  function rootOf(id: string): string {
    const parent = shared.account(id)?.parent ?? null;
    return parent === null ? id : rootOf(parent);
  }

  /** What is nobody's, or another's: from here on it is read and changed in one transaction. */
  function nobodys<Value>(read: () => Value): Value {
    if (deciding && !collected.sharing()) {
      collected.share();
      throw again;
    }
    return read();
  }

  /** Reads it, and what is above it, where that was not done before. */
  function load(own: Accounts, id: string): ReturnType<Accounts['accounts']['get']> {
    const known = own.accounts.get(id);
    if (known !== undefined) return known;
    const account = shared.account(id);
    if (account === undefined) return undefined;
    const lines = shared.lines(id).filter((line) => line.account === id);
    own.accounts.set(id, { account, lines: lines.map((line) => ({ ...line })) });
    return own.accounts.get(id);
  }

  function upwards(own: Accounts, id: string): readonly (readonly Line[])[] {
    const chain: (readonly Line[])[] = [];
    for (let at: string | null = id; at !== null; ) {
      const found = load(own, at);
      if (found === undefined) break;
      chain.push(found.lines);
      at = found.account.parent;
    }
    return chain;
  }

  function edit({ hold }: Accounts, line: Line, change: Partial<Line>): void {
    const before = { ...line };
    const after = { ...line, ...change };
    collected.add(hold, { do: 'line', line: after }, () => Object.assign(line, before));
    Object.assign(line, after);
  }

  /** For an account that this store does not hold. */
  function atOnce(account: string, work: () => void): void {
    const root = rootOf(account);
    holds.checkLost(root);
    if (holds.elsewhere(root))
      throw new SondeError('pool_misuse', {
        message: `Another worker holds ${root}, whose account pays for this`,
        remedy: 'Give what several workers share an account of its own, above those of their runs.',
      });
    shared.atomic(work);
  }

  function held(id: string): Accounts | undefined {
    for (const own of byRun.values()) if (!own.hold.ended && own.reservations.has(id)) return own;
    return undefined;
  }

  return {
    // What is held is read before it is changed, so that nothing is left of a decision that is made again.
    atomic(work) {
      if (collected.sharing()) return shared.atomic(work);
      deciding = true;
      try {
        return collected.atomic(work);
      } catch (thrown) {
        if (thrown !== again) throw thrown;
        return shared.atomic(work);
      } finally {
        deciding = false;
      }
    },

    account(id) {
      const own = owner(id);
      if (own !== null) return load(own, id)?.account;
      const found = shared.account(id);
      // One that is yet to be opened belongs to whoever holds the one above it.
      return found && nobodys(() => found);
    },

    addAccount(id, account, lines) {
      const own = owner(id, account.parent);
      if (own === null)
        return nobodys(() => atOnce(account.parent ?? id, () => shared.addAccount(id, account, lines)));
      collected.add(own.hold, { do: 'account', id, account }, () => own.accounts.delete(id));
      const mine = lines.map((line) => ({ ...line }));
      own.accounts.set(id, { account, lines: mine });
      for (const line of mine) edit(own, line, {});
    },

    lines(account) {
      const own = owner(account);
      return own === null ? nobodys(() => shared.lines(account)) : upwards(own, account).flat();
    },

    setCeiling(account, resource, ceiling) {
      const own = owner(account);
      if (own === null) return atOnce(account, () => shared.setCeiling(account, resource, ceiling));
      for (const line of load(own, account)?.lines ?? [])
        if (line.resource === resource) edit(own, line, { ceiling });
    },

    change(account, resource, change, up) {
      const own = owner(account);
      if (own === null) return atOnce(account, () => shared.change(account, resource, change, up));
      for (const lines of upwards(own, account).slice(0, up ? undefined : 1))
        for (const line of lines)
          if (line.resource === resource)
            edit(own, line, {
              held: line.held + change.held,
              spent: line.spent + change.spent,
              unknown: line.unknown + change.unknown,
            });
    },

    reservation(id) {
      const own = held(id)?.reservations.get(id);
      if (own !== undefined) return own;
      const found = shared.reservation(id);
      return found === undefined || owner(found.account) !== null ? found : nobodys(() => found);
    },

    putReservation(reservation) {
      const { id, account } = reservation;
      const own = owner(account);
      if (own === null) return atOnce(account, () => shared.putReservation(reservation));
      const before = own.reservations.get(id);
      collected.add(own.hold, { do: 'reservation', reservation }, () =>
        before === undefined ? own.reservations.delete(id) : own.reservations.set(id, before),
      );
      own.reservations.set(id, reservation);
    },

    dropReservation(id) {
      const own = held(id);
      const before = own?.reservations.get(id);
      if (own === undefined || before === undefined) return shared.dropReservation(id);
      collected.add(own.hold, { do: 'drop', reservation: id }, () => own.reservations.set(id, before));
      own.reservations.delete(id);
    },

    openReservations: (run, below) =>
      shared
        .openReservations(run, below)
        .filter(({ id }) => (held(id)?.reservations.get(id)?.state ?? 'open') === 'open'),

    fence(run) {
      return holds.own(run)?.fence ?? shared.fence(run);
    },

    setFence(run, fence) {
      const hold = holds.own(run);
      if (hold === undefined) shared.setFence(run, fence);
      else if (fence > hold.fence) leaseLost(run, hold.fence);
    },
  };
}
