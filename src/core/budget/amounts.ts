/**
 * Arithmetic of amounts in whole units, so that sums are exact: money in micro-dollars, everything else in ones. Spent
 * amounts are rounded up and available amounts down, so that rounding never leads to overspending.
 */

import { SondeError } from '../errors.ts';
import { type AllAmounts, type Amounts, type Limits, type Resource, resources } from './budget.ts';

/** Whole units of each resource. Micro-dollars for `usd`. */
export type Units = Readonly<Record<Resource, number>>;

/** `null` for a resource without a ceiling. */
export type UnitLimits = Readonly<Record<Resource, number | null>>;

const perUnit: Readonly<Record<Resource, number>> = {
  tokens: 1,
  usd: 1_000_000,
  wall_ms: 1,
  fuel: 1,
  calls: 1,
  steps: 1,
};

/** A millionth of a unit: larger than the rounding error of decimal money in binary, and smaller than any bill. */
const roundingEpsilon = 1e-6;

export function each<Value>(value: (resource: Resource) => Value): Record<Resource, Value> {
  return Object.fromEntries(resources.map((resource) => [resource, value(resource)])) as Record<
    Resource,
    Value
  >;
}

function refuse(resource: string, value: unknown): never {
  throw new SondeError('bad_argument', {
    message: `The amount of ${resource} is ${String(value)}`,
    remedy: 'Give a number that is zero or more.',
    details: { resource },
  });
}

/** Names that are not resources, and amounts that are not numbers from zero up, are refused. */
function checkAmounts(amounts: Amounts, resource: Resource, infinite: boolean): number {
  const value = amounts[resource] ?? 0;
  if (typeof value !== 'number' || !(value >= 0) || (value === Infinity && !infinite))
    refuse(resource, value);
  return value;
}

function checkNames(amounts: Amounts): void {
  for (const name of Object.keys(amounts)) {
    if (!(resources as readonly string[]).includes(name)) refuse(name, 'not a resource');
  }
}

/** Requested or spent amounts, rounded up to whole units. */
export function toUnits(amounts: Amounts): Units {
  checkNames(amounts);
  return each((resource) => {
    const units = Math.ceil(checkAmounts(amounts, resource, false) * perUnit[resource] - roundingEpsilon);
    // Beyond 2^53 whole numbers stop being exact.
    if (!Number.isSafeInteger(units)) refuse(resource, amounts[resource]);
    return Math.max(0, units);
  });
}

/** Limits in whole units, rounded down. A resource that is absent or `Infinity` has no limit. */
export function toUnitLimits(limits: Limits): UnitLimits {
  checkNames(limits);
  return each((resource) => {
    if (limits[resource] === undefined || limits[resource] === Infinity) return null;
    const units = Math.floor(checkAmounts(limits, resource, true) * perUnit[resource] + roundingEpsilon);
    return Math.min(units, Number.MAX_SAFE_INTEGER);
  });
}

export function fromUnit(resource: Resource, units: number): number {
  return units / perUnit[resource];
}

/** The sum or difference of whole units, without floating-point residue. */
export function wholeUnits(resource: Resource, amount: number): number {
  return Math.round(amount * perUnit[resource]) / perUnit[resource];
}

export function fromUnits(units: Units): AllAmounts {
  return Object.freeze(each((resource) => fromUnit(resource, units[resource])));
}

/** Only amounts that are not zero. */
export function sparse(units: Units): Amounts {
  return Object.freeze(
    Object.fromEntries(
      resources.filter((name) => units[name] !== 0).map((name) => [name, fromUnit(name, units[name])]),
    ),
  );
}

export function fromUnitLimits(limits: UnitLimits): Limits {
  return Object.freeze(
    Object.fromEntries(
      resources.flatMap((name) => {
        const units = limits[name];
        return units === null ? [] : [[name, fromUnit(name, units)]];
      }),
    ),
  );
}
