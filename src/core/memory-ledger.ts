import { each, fromUnitLimits, fromUnits, toUnitLimits, toUnits, type Units } from './amounts.ts';
import type { Account, Ledger, ReservationKey, ReserveRequest, Resource } from './budget.ts';
import { resources } from './budget.ts';
import { canonicalJson } from './id.ts';
import {
  additive,
  holdable,
  type Line,
  leaseLost,
  misuse,
  refusal,
  reservationId,
  settlement,
  touched,
} from './ledger-rules.ts';

interface Row {
  readonly account: Account;
  /** As first opened, to tell an idempotent `open` from a conflicting one. */
  readonly opened: string;
  readonly lines: Record<Resource, { -readonly [Key in keyof Line]: Line[Key] } & { unknown: number }>;
}

interface Held {
  readonly account: string;
  readonly key: ReservationKey;
  readonly units: Units;
  readonly asked: string;
  state: 'open' | 'settled' | 'recovered';
}

/** A ledger that lives as long as the process: for tests, and for work that need not survive. */
export function memoryLedger(): Ledger {
  const accounts = new Map<string, Row>();
  const reservations = new Map<string, Held>();
  const fences = new Map<string, number>();

  function row(id: string): Row {
    return accounts.get(id) ?? misuse(`There is no account ${id}`);
  }

  function chain(id: string): readonly Row[] {
    const rows: Row[] = [];
    for (let next: string | null = id; next !== null; next = rows.at(-1)!.account.parent)
      rows.push(row(next));
    return rows;
  }

  function add(account: string, field: 'spent' | 'held' | 'unknown', units: Units, sign: 1 | -1 = 1): void {
    const rows = chain(account);
    for (const resource of touched(units)) {
      for (const { lines } of additive(resource) ? rows : rows.slice(0, 1)) {
        lines[resource][field] += sign * units[resource];
      }
    }
  }

  function checkFence(key: Pick<ReservationKey, 'run' | 'fence'>): void {
    if (key.fence < (fences.get(key.run) ?? 0)) leaseLost(key.run, key.fence);
  }

  function close(id: string): Held {
    const held = reservations.get(id);
    if (held?.state === 'recovered') leaseLost(held.key.run, held.key.fence);
    if (held?.state !== 'open') misuse(`The reservation ${id} is not open`);
    return held;
  }

  return {
    open(account) {
      const ceilings = toUnitLimits(account.limits);
      const kept = toUnits(account.reserve);
      const opened = canonicalJson([account.parent, ceilings, kept]);
      const before = accounts.get(account.id);
      if (before !== undefined) {
        const now = canonicalJson([
          before.account.parent,
          each((resource) => before.lines[resource].ceiling),
          each((resource) => before.lines[resource].kept),
        ]);
        if (opened !== before.opened && opened !== now)
          misuse(`The account ${account.id} is already open with other terms`);
        return;
      }
      if (account.parent !== null) row(account.parent);
      const lines = each((resource) => ({
        account: account.id,
        resource,
        ceiling: ceilings[resource],
        kept: kept[resource],
        spent: 0,
        held: 0,
        unknown: 0,
      }));
      accounts.set(account.id, { account, opened, lines });
    },

    relimit(account, limits) {
      const ceilings = toUnitLimits(limits);
      const { lines } = row(account);
      for (const resource of resources) {
        if (limits[resource] !== undefined) lines[resource].ceiling = ceilings[resource];
      }
    },

    reserve(request: ReserveRequest) {
      const { account, key, amounts, final = false } = request;
      const requested = toUnits(amounts);
      const rows = chain(account);
      checkFence(key);
      const id = reservationId(key);
      const asked = canonicalJson([account, requested]);
      const before = reservations.get(id);
      if (before !== undefined) {
        if (before.state !== 'open' || before.asked !== asked) {
          misuse(`The reservation ${id} exists already: ${before.state}, or over other amounts`);
        }
      } else {
        const exhausted = refusal(
          rows.flatMap(({ lines }) => resources.map((resource) => lines[resource])),
          requested,
          final,
        );
        if (exhausted !== null) return exhausted;
        const units = holdable(requested);
        add(account, 'held', units);
        reservations.set(id, { account, key, units, asked, state: 'open' });
      }
      return Object.freeze({ kind: 'reserved', id, amounts: Object.freeze({ ...amounts }) });
    },

    settle(id, actual) {
      const held = close(id);
      const { spent, settled } = settlement(held.units, actual);
      held.state = 'settled';
      add(held.account, 'held', held.units, -1);
      add(held.account, 'spent', spent);
      if (settled.unknown) add(held.account, 'unknown', spent);
      return settled;
    },

    release(id) {
      const held = close(id);
      add(held.account, 'held', held.units, -1);
      reservations.delete(id);
    },

    charge(account, amounts) {
      add(account, 'spent', toUnits(amounts));
    },

    balance(account) {
      const { lines } = row(account);
      return Object.freeze({
        limits: fromUnitLimits(each((resource) => lines[resource].ceiling)),
        kept: fromUnits(each((resource) => lines[resource].kept)),
        spent: fromUnits(each((resource) => lines[resource].spent)),
        reserved: fromUnits(each((resource) => lines[resource].held)),
        unknown: fromUnits(each((resource) => lines[resource].unknown)),
      });
    },

    recover(run, fence) {
      checkFence({ run, fence });
      fences.set(run, fence);
      let recovered = 0;
      for (const held of reservations.values()) {
        if (held.key.run !== run || held.key.fence >= fence || held.state !== 'open') continue;
        const { spent } = settlement(held.units, 'unknown');
        held.state = 'recovered';
        add(held.account, 'held', held.units, -1);
        add(held.account, 'spent', spent);
        add(held.account, 'unknown', spent);
        recovered += 1;
      }
      return recovered;
    },
  };
}
