/** A ledger over rows. All decisions are made here, so that all ledgers decide alike, however they store their rows. */

import { canonicalJson } from '../id.ts';
import {
  fromNonZeroUnits,
  fromUnit,
  fromUnitLimits,
  fromUnits,
  mapResources,
  toUnitLimits,
  toUnits,
  type Units,
} from './amounts.ts';
import {
  type Actual,
  type BudgetEnd,
  type Ledger,
  type ReservationKey,
  type Resource,
  resources,
  type SettledAmounts,
} from './budget.ts';
import { throwLeaseLost, throwMisuse } from './ledger-errors.ts';
import type { LedgerChange, LedgerLine, LedgerReservation, LedgerRows } from './ledger-rows.ts';

export function ledgerFromRows(rows: LedgerRows): Ledger {
  function requireLines(account: string): readonly LedgerLine[] {
    const lines = rows.lines(account);
    return lines.length > 0 ? lines : throwMisuse(`There is no account ${account}`);
  }

  function add(account: string, changes: (resource: Resource) => LedgerChange): void {
    for (const resource of resources) {
      const change = changes(resource);
      if (change.held === 0 && change.spent === 0 && change.unknown === 0) continue;
      rows.change(account, resource, change, isAdditive(resource));
    }
  }

  function checkFence(run: string, fence: number): void {
    if (fence < rows.fence(run)) throwLeaseLost(run, fence);
  }

  function requireOpenReservation(id: string): LedgerReservation {
    const found = rows.reservation(id);
    if (found?.state === 'recovered') throwLeaseLost(found.key.run, found.key.fence);
    return found?.state === 'open' ? found : throwMisuse(`The reservation ${id} is not open`);
  }

  function close(open: LedgerReservation, state: 'settled' | 'recovered', actual: Actual): SettledAmounts {
    const { asked } = open;
    const unknown = actual === 'unknown';
    const spent = unknown ? asked : withoutTime(toUnits(actual));
    rows.putReservation({ ...open, state, spent });
    add(open.account, (resource) => ({
      held: -asked[resource],
      spent: spent[resource],
      unknown: unknown ? spent[resource] : 0,
    }));
    const over = mapResources((resource) => Math.max(0, spent[resource] - asked[resource]));
    return Object.freeze({
      kind: 'settled',
      amounts: fromNonZeroUnits(spent),
      unknown,
      over: fromNonZeroUnits(over),
    });
  }

  const ledger: Ledger = {
    open({ id, parent, limits, reserve }) {
      const ceilings = toUnitLimits(limits);
      const units = toUnits(reserve);
      const terms = canonicalJson([parent, ceilings, units]);
      const before = rows.account(id);
      if (before === undefined) {
        if (parent !== null) requireLines(parent);
        const empty = { account: id, spent: 0, held: 0, unknown: 0 };
        const lines = resources.map((resource) => ({
          ...empty,
          resource,
          ceiling: ceilings[resource],
          kept: units[resource],
        }));
        return rows.addAccount(id, { parent, opened: terms }, lines);
      }
      const accountLines = requireLines(id).filter((line) => line.account === id);
      // The reserve is not compared: this program chooses it, and a run that an earlier version began keeps that
      // version's reserve.
      const first = canonicalJson((JSON.parse(before.opened) as readonly unknown[]).slice(0, 2));
      const current = canonicalJson([before.parent, byResource(accountLines, 'ceiling')]);
      const requested = canonicalJson([parent, ceilings]);
      if (requested !== first && requested !== current)
        throwMisuse(`The account ${id} was opened on other terms`);
    },

    relimit(account, limits) {
      const ceilings = toUnitLimits(limits);
      requireLines(account);
      for (const resource of resources) {
        if (limits[resource] !== undefined) rows.setCeiling(account, resource, ceilings[resource]);
      }
    },

    reserve({ account, key, amounts, final = false }) {
      const requested = toUnits(amounts);
      const held = withoutTime(requested);
      const id = reservationId(key);
      const lines = requireLines(account);
      checkFence(key.run, key.fence);
      const before = rows.reservation(id);
      if (before === undefined) {
        const exhausted = findRefusal(lines, requested, final);
        if (exhausted !== null) return exhausted;
        rows.putReservation({ id, key, account, asked: held, state: 'open', spent: null });
        add(account, (resource) => ({ held: held[resource], spent: 0, unknown: 0 }));
      } else if (before.state !== 'open') {
        throwMisuse(`The reservation ${id} has been settled before`);
      } else if (before.account !== account || canonicalJson(before.asked) !== canonicalJson(held)) {
        throwMisuse(`The reservation ${id} was made by another account or over other amounts`);
      }
      return Object.freeze({ kind: 'reserved', id, amounts: Object.freeze({ ...amounts }) });
    },

    settle: (id, actual) => close(requireOpenReservation(id), 'settled', actual),

    release(id) {
      const { account, asked } = requireOpenReservation(id);
      rows.dropReservation(id);
      add(account, (resource) => ({ held: -asked[resource], spent: 0, unknown: 0 }));
    },

    charge(account, amounts) {
      const units = toUnits(amounts);
      requireLines(account);
      add(account, (resource) => ({ held: 0, spent: units[resource], unknown: 0 }));
    },

    balance(account) {
      const accountLines = requireLines(account).filter((line) => line.account === account);
      return Object.freeze({
        limits: fromUnitLimits(byResource(accountLines, 'ceiling')),
        kept: fromUnits(byResource(accountLines, 'kept')),
        spent: fromUnits(byResource(accountLines, 'spent')),
        reserved: fromUnits(byResource(accountLines, 'held')),
        unknown: fromUnits(byResource(accountLines, 'unknown')),
      });
    },

    recover(run, fence) {
      checkFence(run, fence);
      rows.setFence(run, fence);
      const open = rows.openReservations(run, fence);
      for (const reservation of open) close(reservation, 'recovered', 'unknown');
      return open.length;
    },
  };

  return {
    open: (account) => rows.atomic(() => ledger.open(account)),
    relimit: (account, limits) => rows.atomic(() => ledger.relimit(account, limits)),
    reserve: (request) => rows.atomic(() => ledger.reserve(request)),
    settle: (id, actual) => rows.atomic(() => ledger.settle(id, actual)),
    release: (id) => rows.atomic(() => ledger.release(id)),
    charge: (account, amounts) => rows.atomic(() => ledger.charge(account, amounts)),
    balance: ledger.balance,
    recover: (run, fence) => rows.atomic(() => ledger.recover(run, fence)),
  };
}

/**
 * Time isn't additive over parallel workers. A reservation of it only checks whether that much is left and holds
 * nothing; only `charge` spends time, and only on the charged account.
 */
function isAdditive(resource: Resource): boolean {
  return resource !== 'wall_ms';
}

/** The part of an amount that a reservation holds and a settlement spends. */
function withoutTime(units: Units): Units {
  return mapResources((resource) => (isAdditive(resource) ? units[resource] : 0));
}

/** The first ceiling that the request would exceed, from the requested account up to the root. */
function findRefusal(lines: readonly LedgerLine[], requested: Units, final: boolean): BudgetEnd | null {
  for (const { account, resource, ceiling, spent, ...line } of lines) {
    if (ceiling === null) continue;
    // A call of a model without a known price reserves no money. If the account has spent some, such calls do cost.
    const mayCost = resource === 'usd' && requested.tokens > 0 && spent > 0;
    const amount = requested[resource] || (mayCost ? 1 : 0);
    if (amount === 0) continue;
    const held = line.held + (final ? 0 : line.kept);
    if (spent + held + amount <= ceiling) continue;
    return Object.freeze({
      kind: 'exhausted',
      resource,
      account,
      limit: fromUnit(resource, ceiling),
      spent: fromUnit(resource, spent),
      held: fromUnit(resource, held),
      requested: fromUnit(resource, amount),
    });
  }
  return null;
}

function byResource<Field extends 'ceiling' | 'kept' | 'spent' | 'held' | 'unknown'>(
  lines: readonly LedgerLine[],
  field: Field,
): Readonly<Record<Resource, LedgerLine[Field]>> {
  return Object.fromEntries(lines.map((line) => [line.resource, line[field]])) as Record<
    Resource,
    LedgerLine[Field]
  >;
}

/** One id per key, so that the same key finds its reservation again. The run's part holds no slash. */
export function reservationId(key: ReservationKey): string {
  return `${encodeURIComponent(key.run)}/${key.step}#${key.fence}`;
}
