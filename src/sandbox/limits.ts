import { SondeError } from '../core/index.ts';

/**
 * The maximum fuel, in units, that a cell may still use after it was interrupted, to finish and keep its names; less
 * if the cell's own limit is less.
 */
export const graceFuel = 20_000_000;

/** The limits of one cell. Each is a finite maximum; there is no "unlimited". */
export interface Limits {
  /** Units of fuel: about 1 for each loop iteration or call in the interpreter's own code. */
  readonly fuel: number;
  /** Bytes of memory of the whole session, including 20 MiB of the interpreter. */
  readonly memory_bytes: number;
  /** Milliseconds of the guest's own work; waiting for the host's answers is not counted. */
  readonly wall_ms: number;
  /** Bytes of each output stream that are kept: three quarters from the head, one from the tail. */
  readonly output_bytes: number;
  /** Requests to the host. */
  readonly calls: number;
  /** Bytes of one request to the host. */
  readonly call_bytes: number;
  /** Bytes of one answer of the host. */
  readonly answer_bytes: number;
  /** Bytes of the value of a cell's last expression, as JSON. */
  readonly value_bytes: number;
  /** Bytes of a cell's code. */
  readonly code_bytes: number;
}

export type LimitName = keyof Limits;

const mebibyte = 2 ** 20;

/** About 10 s of computing on a machine of 2024, and a wall clock for machines that are much slower. */
export const defaultLimits: Limits = Object.freeze({
  fuel: 2_000_000_000,
  memory_bytes: 128 * mebibyte,
  wall_ms: 30_000,
  output_bytes: 64 * 1024,
  calls: 1000,
  call_bytes: mebibyte,
  answer_bytes: 16 * mebibyte,
  value_bytes: 256 * 1024,
  code_bytes: mebibyte,
});

/** The lowest and the highest value of each limit. */
const ranges: Readonly<Record<LimitName, readonly [min: number, max: number]>> = {
  fuel: [10_000, Number.MAX_SAFE_INTEGER],
  memory_bytes: [24 * mebibyte, 1024 * mebibyte],
  wall_ms: [1, 86_400_000],
  output_bytes: [0, 16 * mebibyte],
  calls: [0, 1_000_000],
  call_bytes: [0, 64 * mebibyte],
  answer_bytes: [64, 64 * mebibyte],
  value_bytes: [0, 16 * mebibyte],
  code_bytes: [1, 16 * mebibyte],
};

/** `base`, overridden by `given`. Throws `bad_argument` for an unknown name or a number out of its range. */
export function mergeLimits(base: Limits, overrides?: Partial<Limits>): Limits {
  if (overrides === undefined) return base;
  for (const [name, value] of Object.entries(overrides)) {
    const range = Object.hasOwn(ranges, name) ? ranges[name as LimitName] : null;
    if (!range) {
      throw new SondeError('bad_argument', {
        message: `there is no sandbox limit named ${name}`,
        remedy: `use one of ${Object.keys(ranges).join(', ')}`,
      });
    }
    const [min, max] = range;
    if (!Number.isInteger(value) || value < min || value > max) {
      throw new SondeError('bad_argument', {
        message: `the sandbox limit ${name} is ${value}`,
        remedy: `give a whole number from ${min} to ${max}`,
      });
    }
  }
  return Object.freeze({ ...base, ...overrides });
}

/** A limit that was exceeded, with the numbers. */
export interface LimitHit {
  readonly kind: 'limit';
  readonly limit: LimitName;
  readonly allowed: number;
  /** The amount that was used, or the amount that was requested and refused. */
  readonly used: number;
}

const units: Readonly<Record<LimitName, string>> = {
  fuel: 'units of fuel',
  memory_bytes: 'bytes of memory',
  wall_ms: 'ms of computing time',
  output_bytes: 'bytes of output',
  calls: 'calls of the host',
  call_bytes: 'bytes in one request',
  answer_bytes: 'bytes in one answer',
  value_bytes: 'bytes in a value',
  code_bytes: 'bytes of code',
};

export function limitHit(limit: LimitName, allowed: number, used: number): LimitHit {
  return Object.freeze({ kind: 'limit', limit, allowed, used });
}

/** One sentence with the numbers in it. */
export function describeHit({ limit, allowed, used }: LimitHit): string {
  return `${used} ${units[limit]}, where ${allowed} are allowed`;
}
