import type { RefusalCode, RefusedWrite } from '../world-write.ts';

/** Thrown to roll back a refused write. `submit` returns its refusal. */
export class WriteRefused extends Error {
  readonly refused: RefusedWrite;

  constructor(value: RefusedWrite) {
    super(value.message);
    this.refused = value;
  }
}

export function toRefused(
  code: RefusalCode,
  message: string,
  remedy: string,
  details: Readonly<Record<string, unknown>> = {},
): RefusedWrite {
  return Object.freeze({ kind: 'refused', code, message, remedy, details: Object.freeze({ ...details }) });
}

export function refuse(...fields: Parameters<typeof toRefused>): never {
  throw new WriteRefused(toRefused(...fields));
}
