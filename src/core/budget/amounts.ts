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

/** A millionth of a unit: more than the rounding error of decimal money in binary, and less than any real amount. */
const roundingEpsilon = 1e-6;

export function mapResources<Value>(value: (resource: Resource) => Value): Record<Resource, Value> {
  return Object.fromEntries(resources.map((resource) => [resource, value(resource)])) as Record<
    Resource,
    Value
  >;
}

function throwBadAmount(resource: string, value: unknown): never {
  throw new SondeError('bad_argument', {
    message: `The amount of ${resource} is ${String(value)}`,
    remedy: 'Give a number that is zero or more.',
    details: { resource },
  });
}

/** Returns the amount of a resource, 0 if absent. Throws `bad_argument` if it is not a number of zero or more. */
function readAmount(amounts: Amounts, resource: Resource, allowInfinity: boolean): number {
  const value = amounts[resource] ?? 0;
  if (typeof value !== 'number' || !(value >= 0) || (value === Infinity && !allowInfinity))
    throwBadAmount(resource, value);
  return value;
}

function checkNames(amounts: Amounts): void {
  for (const name of Object.keys(amounts)) {
    if (!(resources as readonly string[]).includes(name)) throwBadAmount(name, 'not a resource');
  }
}

/** Requested or spent amounts, rounded up to whole units. */
export function toUnits(amounts: Amounts): Units {
  checkNames(amounts);
  return mapResources((resource) => {
    const units = Math.ceil(readAmount(amounts, resource, false) * perUnit[resource] - roundingEpsilon);
    // Beyond 2^53 whole numbers stop being exact.
    if (!Number.isSafeInteger(units)) throwBadAmount(resource, amounts[resource]);
    return Math.max(0, units);
  });
}

/** Limits in whole units, rounded down. A resource that is absent or `Infinity` has no limit. */
export function toUnitLimits(limits: Limits): UnitLimits {
  checkNames(limits);
  return mapResources((resource) => {
    if (limits[resource] === undefined || limits[resource] === Infinity) return null;
    const units = Math.floor(readAmount(limits, resource, true) * perUnit[resource] + roundingEpsilon);
    return Math.min(units, Number.MAX_SAFE_INTEGER);
  });
}

export function fromUnit(resource: Resource, units: number): number {
  return units / perUnit[resource];
}

/** Rounds an amount to whole units, which removes the floating-point residue of sums and differences. */
export function roundToUnit(resource: Resource, amount: number): number {
  return Math.round(amount * perUnit[resource]) / perUnit[resource];
}

export function fromUnits(units: Units): AllAmounts {
  return Object.freeze(mapResources((resource) => fromUnit(resource, units[resource])));
}

/** Converts units to amounts, without those that are zero. */
export function fromNonZeroUnits(units: Units): Amounts {
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
