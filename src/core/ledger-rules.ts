/**
 * The decisions of a ledger over plain rows in whole units. Every ledger keeps the rows in its own way and
 * asks here, so that all of them decide alike.
 */
import { each, fromUnit, sparse, toUnits, type Units } from './amounts.ts';
import {
  type Actual,
  type Exhausted,
  type ReservationKey,
  type Resource,
  resources,
  type Settled,
} from './budget.ts';
import { SondeError } from './errors.ts';

/** One resource of one account. */
export interface Line {
  readonly account: string;
  readonly resource: Resource;
  readonly ceiling: number | null;
  readonly kept: number;
  readonly spent: number;
  readonly held: number;
}

/**
 * Time isn't additive over workers that run side by side. So a reservation of it is a question, whether that
 * much is left, and holds nothing; it is spent by `charge` alone, and only on the account charged.
 */
export function additive(resource: Resource): boolean {
  return resource !== 'wall_ms';
}

/** The part of an amount that a reservation holds and a settlement spends. */
export function holdable(units: Units): Units {
  return each((resource) => (additive(resource) ? units[resource] : 0));
}

/**
 * The first ceiling that the request would break, or null. `lines` run from the account asked up to the root.
 */
export function refusal(lines: Iterable<Line>, requested: Units, final: boolean): Exhausted | null {
  for (const line of lines) {
    const amount = requested[line.resource];
    if (amount === 0 || line.ceiling === null) continue;
    const held = (additive(line.resource) ? line.held : 0) + (final ? 0 : line.kept);
    if (line.spent + held + amount <= line.ceiling) continue;
    const show = (units: number) => fromUnit(line.resource, units);
    return Object.freeze({
      kind: 'exhausted',
      resource: line.resource,
      account: line.account,
      limit: show(line.ceiling),
      spent: show(line.spent),
      held: show(held),
      requested: show(amount),
    });
  }
  return null;
}

export interface Settlement {
  /** In whole units, what the account and its ancestors are charged. */
  readonly spent: Units;
  readonly settled: Settled;
}

/** What an actual cost makes of a reservation. */
export function settlement(reserved: Units, actual: Actual): Settlement {
  const unknown = actual === 'unknown';
  const spent = unknown ? reserved : holdable(toUnits(actual));
  const over = each((resource) => Math.max(0, spent[resource] - reserved[resource]));
  return {
    spent,
    settled: Object.freeze({ kind: 'settled', amounts: sparse(spent), unknown, over: sparse(over) }),
  };
}

/** Resources that a change touches, in the order in which they are always checked. */
export function touched(units: Units): readonly Resource[] {
  return resources.filter((resource) => units[resource] !== 0);
}

/** One id for one key, so that a key asked for again finds what it made. The run's name can hold no slash in it. */
export function reservationId(key: ReservationKey): string {
  return `${encodeURIComponent(key.run)}/${key.step}#${key.fence}`;
}

export function misuse(message: string): never {
  throw new SondeError('pool_misuse', {
    message,
    remedy: 'This is a fault in the caller: reserve once, then settle or release once.',
  });
}

export function leaseLost(run: string, fence: number): never {
  throw new SondeError('lease_lost', {
    message: `Another worker has taken over ${run} (fence ${fence} is no longer the latest, or was given up)`,
    remedy: 'Stop this worker: the run goes on elsewhere.',
    details: { run, fence },
  });
}
