/**
 * The contract of a sandbox: sessions that run Python cells one after another. Cells reach the host only by operations.
 *
 * An implementer must not: let a cell reach anything of the host except the given operations, let one session see or
 * slow down another beyond sharing the machine, answer a failed cell with an exception (it is a value), leave a
 * caller waiting for a session that is gone, or lose names silently (the result of a killed cell lists the lost names).
 */

import type { ClockReadings } from './inside/protocol.ts';
import type { LimitHit, Limits } from './limits.ts';
import type { Value } from './value.ts';

export interface Sandbox {
  /** Opens a new session, which contains nothing of any other. */
  open(options?: SessionOptions): Promise<Session>;
  /**
   * Continues a session from a `Session.checkpoint`, in this or another process. Operations and limits must be passed
   * again. Throws `bad_argument` for bytes that are no checkpoint, damaged, or of another snapshot.
   */
  restore(checkpoint: Uint8Array, options?: SessionOptions): Promise<Session>;
  /** The confinement of the guest, and whether it works on this machine. */
  health(): Promise<SandboxHealth>;
  /** Ends all sessions and all processes and threads. */
  close(): Promise<void>;
}

export interface SessionOptions {
  /** Operations that the guest may call. Names are matched exactly; all others are refused. */
  readonly operations?: Operations;
  readonly limits?: Partial<Limits>;
  /** The seed of the session's random numbers. Random if absent. */
  readonly seed?: string;
}

export type Operations = Readonly<Record<string, Operation>>;

/**
 * Answers one request. The arguments come from the guest and may be hostile: check them. The guest receives the code
 * and message of a thrown SondeError; of any other error it learns only that the operation failed.
 */
export type Operation = (
  args: Readonly<Record<string, Value>>,
  context: { readonly signal: AbortSignal },
) => Value | Promise<Value>;

/**
 * Hashes (SHA-256) of the parts that a session runs on. Sessions with equal snapshots use equal fuel and print equal
 * output.
 */
export interface SandboxImage {
  /** Hashes of python.wasm and of the standard library as delivered. */
  readonly interpreter: string;
  readonly library: string;
  /** Hash of the memory after start: the interpreter with fuel counter, driver and helper modules. */
  readonly snapshot: string;
}

export interface Session {
  readonly image: SandboxImage;
  /**
   * Runs a cell. Cells of one session run one after another. Throws `sandbox_ended` if the session can't continue, and
   * `bad_argument` for limits or code out of range; any other failure is a value.
   */
  execute(code: string, options?: CellOptions): Promise<CellResult>;
  /** The names that the cells have made. Previews are left out where making them took too long. */
  variables(): Promise<readonly Variable[]>;
  /** The value of one variable, or null if it is not defined. */
  read(name: string): Promise<CellValue | null>;
  /** The whole session as bytes: what differs from the snapshot, compressed. */
  checkpoint(): Promise<Uint8Array>;
  /** Ends the session. May be called again. */
  close(): Promise<void>;
}

export interface CellOptions {
  /** Limits for this cell, instead of the session's. */
  readonly limits?: Partial<Limits>;
  /** Kills the cell. */
  readonly signal?: AbortSignal;
  /** Clock readings of an earlier run of the cell, which it gets instead of the time until they are used up. */
  readonly clock?: ClockReadings;
}

/**
 * `ok`: ran to its end. `error`: the guest's code failed; names assigned before that are kept. `killed`: the
 * cell was ended from outside and the session is as it was before the cell.
 */
export type CellResult = FinishedCell | FailedCell | KilledCell;

interface CellReport {
  readonly stdout: Output;
  readonly stderr: Output;
  /** Units used. Equal in every process for the same cells, answers and seed. */
  readonly fuel: number;
  /** Milliseconds of the guest's own work. */
  readonly wall_ms: number;
  /** Milliseconds spent waiting for operations. */
  readonly host_ms: number;
  readonly calls: number;
  /** Bytes of the session's memory after the cell. */
  readonly memory_bytes: number;
  /** Names made by this session's cells, in the order they were made. */
  readonly names: readonly string[];
  /** Limits that were exceeded, whether or not the cell was killed. */
  readonly hits: readonly LimitHit[];
  /** The clock readings of the cell; null if there are too many to keep. */
  readonly clock: ClockReadings | null;
}

export interface FinishedCell extends CellReport {
  readonly kind: 'ok';
  /** The value of the last statement if it is an expression other than None; otherwise null. */
  readonly value: CellValue | null;
}

export interface FailedCell extends CellReport {
  readonly kind: 'error';
  readonly error: GuestError;
}

export interface KilledCell extends CellReport {
  readonly kind: 'killed';
  readonly reason: KillCause;
  readonly rolled_back: true;
}

export type KillCause =
  | LimitHit
  | { readonly kind: 'cancelled' }
  /** The interpreter was told to end. */
  | { readonly kind: 'exit'; readonly code: number }
  /** The interpreter crashed. */
  | { readonly kind: 'abort'; readonly detail: string };

export interface GuestError {
  /** Name of the exception's class. */
  readonly type: string;
  readonly message: string;
  /** The traceback as Python prints it, with the frames of the guest's code only. */
  readonly traceback: string;
}

export interface CellValue {
  readonly type: string;
  /** `repr()`, shortened. */
  readonly repr: string;
  /** Absent if the value can't be sent; then `problem` says why. */
  readonly value?: Value;
  readonly problem?: string;
}

/** The printed text: all of it, or head and tail with a line between them that says how much is left out. */
export interface Output {
  readonly text: string;
  /** Bytes printed in all. */
  readonly bytes: number;
  readonly truncated: boolean;
}

export interface Variable {
  readonly name: string;
  readonly type: string;
  /** Characters, bytes or items; null for types that have no such number. */
  readonly size: number | null;
  /** Start of `repr()`; empty if it was left out. */
  readonly preview: string;
}

export interface SandboxHealth {
  readonly ok: boolean;
  /** Each fact is one line for people. */
  readonly facts: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[];
}
