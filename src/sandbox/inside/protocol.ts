/**
 * The messages between the host and a worker. A message has a kind, a text (JSON in most kinds), and bytes.
 *
 * The worker takes one command at a time and answers each with `done`; after `quit` it ends. While it runs a cell it
 * may send `call` and waits for `answer` or `stop`. `warm`, sent while no session is open, runs a few cells and
 * discards them, so that V8 has compiled the code before the next session. Like all of `inside/`, this file imports
 * nothing from outside of `inside/`: it runs in a process that may read no other file.
 */

/** The byte that stands for each kind of message on the pipe. */
export const messageKinds = {
  open: 1,
  restore: 2,
  run: 3,
  checkpoint: 4,
  close: 5,
  answer: 6,
  stop: 7,
  quit: 8,
  warm: 9,
  done: 16,
  call: 17,
  image: 18,
  ready: 19,
} as const;

export type MessageKind = keyof typeof messageKinds;

export interface Message {
  readonly kind: MessageKind;
  readonly text: string;
  readonly bytes: Uint8Array;
}

export const noBytes = new Uint8Array(0);

/** The worker's end of a connection. */
export interface Channel {
  /** `bytes` are copied before it returns. */
  send(kind: MessageKind, text: string, bytes: Uint8Array): void;
  /** Waits, without an event loop, for the next message; null once the host is gone. */
  receive(): Message | null;
}

/** The text of `open`. The message's bytes are the first request to the guest's driver, which runs before any cell. */
export interface OpenCommand {
  /** Four 32-bit words that determine all random bytes of the session. */
  readonly seed: readonly [number, number, number, number];
  readonly first: RunCommand;
}

/** Fuel in units, memory and lengths in bytes, time in milliseconds. */
export interface RunLimits {
  readonly fuel: number;
  /** Fuel that a cell may still use after it was interrupted. */
  readonly graceFuel: number;
  readonly memoryBytes: number;
  readonly wallMs: number;
  readonly graceMs: number;
  readonly outputBytes: number;
  readonly calls: number;
  readonly callBytes: number;
}

/** The text of `run`. The message's bytes are the request to the guest's driver, as JSON. */
export interface RunCommand {
  /** Counts the commands of a connection, from 1. */
  readonly serial: number;
  readonly limits: RunLimits;
  /** Afterwards the session is rolled back. Used for inspecting the session, which may run the guest's code too. */
  readonly discard: boolean;
  /** Clock readings that the guest gets instead of the time, until they are used up. */
  readonly clock?: ClockReadings;
}

/**
 * The times that a guest read, for each clock: pairs of milliseconds and how many times in a row that value was
 * returned.
 */
export interface ClockReadings {
  readonly real: readonly number[];
  readonly monotonic: readonly number[];
}

export interface Excess {
  readonly limit: 'fuel' | 'wall_ms' | 'memory_bytes' | 'calls' | 'call_bytes';
  readonly allowed: number;
  readonly used: number;
}

export type KillReason =
  | { readonly kind: 'limit'; readonly excess: Excess }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'abort'; readonly detail: string };

export interface OutputHeadTail {
  /** The whole output, or its head; then `tail` is its end. */
  readonly head: string;
  readonly tail: string;
  /** Bytes printed in all. */
  readonly bytes: number;
  /** Bytes missing between head and tail. */
  readonly leftOut: number;
}

export interface RunReport {
  /** Why the cell was killed; then the session is as it was before the cell. */
  readonly killed: KillReason | null;
  /** Limits that the cell exceeded without being killed. */
  readonly excesses: readonly Excess[];
  readonly stdout: OutputHeadTail;
  readonly stderr: OutputHeadTail;
  readonly fuel: number;
  /** Time of the guest's own work, without waiting for the host. */
  readonly wallMs: number;
  /** Time spent waiting for the host's answers. */
  readonly hostMs: number;
  readonly calls: number;
  readonly memoryBytes: number;
  /** The clock readings of the cell; null if there are too many to keep. */
  readonly clock: ClockReadings | null;
}

/**
 * The text of `done`. Its bytes are the driver's answer to the command, as JSON, if there is one. `note`: the text that
 * the host stored with the checkpoint. `lost`: the session is gone; only `open` and `restore` work.
 */
export type DoneReport =
  | { readonly ok: true; readonly run?: RunReport; readonly note?: string }
  | { readonly ok: false; readonly problem: string; readonly lost: boolean };

/** Indexes into the shared array by which the host reaches a busy worker. */
export const signalWord = {
  /** Counts messages, so that a worker that waits for the next misses none. Used by threads only. */
  mail: 0,
  /** The serial number of the cell to kill. */
  cancel: 1,
} as const;

/** The data that a worker gets at its start, besides its channel. */
export interface WorkerStart {
  readonly module: WebAssembly.Module;
  /** Identity of the snapshot, which checkpoints name. */
  readonly snapshot: string;
  /** The snapshot's memory. Shared by all workers, read only. */
  readonly base: Uint8Array;
  /** The standard library, as the guest sees it. Shared by all workers. */
  readonly library: Uint8Array;
  readonly signals: Int32Array;
  readonly connection:
    | { readonly descriptor: number }
    | { readonly port: import('node:worker_threads').MessagePort };
}

export const libraryPath = 'lib/python.zip';
