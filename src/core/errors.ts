/**
 * One family of errors. A thrown error is something the caller could not have handled as a value:
 * bad input, a broken installation, a bug. Expected failure (a budget's end, a dead provider, a citation
 * that changed) is a value of its own contract, not an exception.
 */

/** Stable, documented in docs/errors.md. A code is never renamed; a new meaning is a new code. */
export const errorCodes = {
  bad_argument: 'A flag, parameter or field has a value that is not allowed.',
  bad_config: 'A configuration file or environment variable has a value that is not allowed.',
  unauthenticated: 'The HTTP request has no valid token or session, or its sign-in code was used before.',
  forbidden: 'The caller is known, but may not do this.',
  gone: 'The requested data is no longer kept.',
  too_large: 'The data sent is longer than allowed.',
  not_found: 'The named run, file or directory does not exist.',
  ambiguous: 'Several things have the name that was given.',
  outside_root: 'A path leads outside the material that the run may read.',
  not_text: 'The file is binary, or too large to be read as text.',
  span_out_of_range: 'The requested lines do not exist in the file.',
  bad_pattern: 'A glob or regular expression cannot be parsed.',
  stale: 'The decision is about content that has changed since it was shown, or that was never shown.',
  conflict: 'The held write cannot be merged with later changes.',
  store_unusable:
    'The store cannot be written there: no permission, no space, or the file of another program.',
  store_locked: 'Another process holds the store.',
  store_version: 'The store was written by a newer version, or must be upgraded.',
  store_away: 'The server of the store does not answer.',
  store_corrupt: 'The store, or an index beside it, cannot be read.',
  lease_lost: 'Another process has taken over the run.',
  run_state: 'The run is not in a state that allows this.',
  pool_misuse: 'A reservation was settled twice, or names an unknown account.',
  model_config: 'The model named cannot be used as configured.',
  model_output: "The model's reply does not have the requested form, even after one repair.",
  tool_missing: 'A program that this needs is not installed.',
  tool_failed: 'A program that this needs ended with an error.',
  sandbox_ended: 'A sandbox session cannot go on: it was closed, or its process is gone.',
  timeout: 'The operation took longer than its time limit.',
  cancelled: 'The operation was cancelled.',
  internal: 'Something that should be impossible happened.',
} as const;

export type ErrorCode = keyof typeof errorCodes;

export interface ErrorFields {
  /** What went wrong, with the name of the thing. One line, without secrets. */
  readonly message: string;
  /** One line: how the reader can fix it. For an `internal` error: report it. */
  readonly remedy?: string;
  /** Typed facts for programs; never a secret. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

const bugRemedy = 'This is a bug of Sonde: report it, with what was done before.';

export class SondeError extends Error {
  override readonly name = 'SondeError';
  readonly code: ErrorCode;
  readonly remedy: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, fields: ErrorFields) {
    super(fields.message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.code = code;
    // An internal error is a bug: the code that throws it knows no remedy, so all of them share one.
    this.remedy = fields.remedy ?? (code === 'internal' ? bugRemedy : undefined);
    this.details = Object.freeze({ ...fields.details });
  }

  toJSON(): {
    code: ErrorCode;
    message: string;
    remedy?: string;
    details: Readonly<Record<string, unknown>>;
  } {
    return {
      code: this.code,
      message: this.message,
      ...(this.remedy !== undefined && { remedy: this.remedy }),
      details: this.details,
    };
  }
}

export function isSondeError(value: unknown, code?: ErrorCode): value is SondeError {
  return value instanceof SondeError && (code === undefined || value.code === code);
}

/** The message of anything that was thrown, for a log line. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Message and remedy in one line: what happened, a full stop, and what to do about it. */
export function appendRemedy({
  message,
  remedy,
}: {
  readonly message: string;
  readonly remedy: string;
}): string {
  const text = message.trim();
  return `${text}${remedy === '' || /[.!?:…]$/.test(text) ? '' : '.'} ${remedy}`.trim();
}
