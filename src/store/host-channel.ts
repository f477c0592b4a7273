/**
 * Messages between the host of a workspace and its fronts, which may run on several machines. The host is the one
 * process that works for the workspace; a front is a server that clients talk to. An implementer must not: announce an
 * event before it is stored, let a replaced host store or answer anything, or delay the commit of a step.
 */

export interface HostedEvent {
  /** 1, 2, 3 … within the thread. */
  readonly seq: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** The id of the message that started the turn of this event. */
  readonly request: string;
  readonly event: { readonly kind: string };
}

/** A notice to all listeners. */
export type HostNotice =
  | { readonly kind: 'kept'; readonly thread: string; readonly seq: number }
  /** An event that is not stored, since only present listeners need it. */
  | { readonly kind: 'passing'; readonly thread: string; readonly request: string; readonly event: object }
  /** The queue has something new. */
  | { readonly kind: 'posted' }
  | { readonly kind: 'asked' }
  | { readonly kind: 'answered'; readonly id: string }
  /** Notices may be lost: the listener should read the stored state. */
  | { readonly kind: 'missed' };

/** The newest backup of a workspace's pages and memory, which only its host has. */
export interface HostBackup {
  /** The path of the backup on the host's machine. */
  readonly file: string;
  /** The machine of the host. */
  readonly machine: string;
  readonly bytes: number;
  /** Milliseconds between two backups. */
  readonly every: number;
}

/** The file in which a host stores pages, and its newest write. */
export interface HostFile {
  /** The id of the workspace. Copies of the file have the same id. */
  readonly id: string;
  /** The number of its writes. */
  readonly writes: number;
  /** The id and time (milliseconds since the Unix epoch) of the newest write; null: there is none. */
  readonly last: { readonly id: string; readonly at: number } | null;
}

/** The right to be the host of a workspace; one process has it at a time. */
export interface HostSeat {
  /** False as soon as another process may have the seat: then nothing may be written. */
  isHeld(): boolean;
  /** Aborted when this process learns that it has lost the seat. */
  readonly lost: AbortSignal;
  /** Sets what `HostChannel.readAbout` returns. Rejects with `lease_lost`. */
  setAbout(about: object): Promise<void>;
  /** Records the newest backup; `ageMs`: milliseconds since it was begun. Rejects with `lease_lost`. */
  recordBackup(backup: HostBackup, ageMs: number): Promise<void>;
  /**
   * Records the file and its newest write, so that the next host can tell whether its file is the same. Rejects with
   * `lease_lost`.
   */
  recordFile(file: HostFile): Promise<void>;
  /** Records the runs and conversations that pages refer to, which must not be removed. Rejects with `lease_lost`. */
  recordReferences(on: {
    readonly runs: ReadonlySet<string>;
    readonly threads: ReadonlySet<string>;
  }): Promise<void>;
  /** Rejects with `lease_lost`. */
  keepEvent(thread: string, request: string, event: { readonly kind: string }): Promise<void>;
  /** Sends an event without storing it. Callers may ignore a rejection. */
  sendEvent(thread: string, request: string, event: object): Promise<void>;
  /** Whether an event of this kind is stored for the turn of that message. */
  hasEvent(thread: string, request: string, kind: string): Promise<boolean>;
  /**
   * Starts to answer questions. A question whose answer can't be stored is answered again, so `answer` must be safe to
   * repeat.
   */
  serve(answer: (asked: unknown) => Promise<unknown>): void;
  /** Releases the seat, so that another process can take it. */
  release(): Promise<void>;
}

export interface HostChannel {
  /**
   * The present host's description of itself; null: there is no host. Contains a key of the host, so it is for fronts
   * only and must never be printed.
   */
  readAbout(): Promise<unknown>;
  /** Takes the seat; null while another process has it. `about`: see `HostSeat.setAbout`. */
  takeSeat(about: object): Promise<HostSeat | null>;
  /** Null: no host has recorded its file. */
  file(): Promise<HostFile | null>;
  /** Null: no host has recorded a backup. */
  readBackup(): Promise<(HostBackup & { readonly ageMs: number }) | null>;
  readEvents(thread: string, seq: number, max: number): Promise<readonly HostedEvent[]>;
  /** Tells the host that the queue has something new. */
  wake(): Promise<void>;
  /** Sends a question to the host, and returns its answer. Rejects with `tool_failed` if none comes in time. */
  ask(asked: object, patienceMs?: number): Promise<unknown>;
  listen(heard: (said: HostNotice) => void): () => void;
  close(): Promise<void>;
}
