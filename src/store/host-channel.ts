/**
 * Messages between the host of a workspace and its fronts, which may run on several machines. The host is the one
 * process that works for the workspace; a front is a server that clients talk to. An implementer must not: announce an
 * event before it is kept, let a host that was replaced keep or answer anything, or delay the commit of a step.
 */

export interface HostedEvent {
  /** 1, 2, 3 … within the thread. */
  readonly seq: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** The message that started the turn of this event. */
  readonly request: string;
  readonly event: { readonly kind: string };
}

/** A notice that every listener gets at once. */
export type HostNotice =
  | { readonly kind: 'kept'; readonly thread: string; readonly seq: number }
  /** An event that is not stored, since it is of no use later. */
  | { readonly kind: 'passing'; readonly thread: string; readonly request: string; readonly event: object }
  /** The queue has something new. */
  | { readonly kind: 'posted' }
  | { readonly kind: 'asked' }
  | { readonly kind: 'answered'; readonly id: string }
  /** Notices may have been missed: the listener should read what is stored. */
  | { readonly kind: 'missed' };

/** The newest copy of a workspace's pages and memory, which are with its host alone. */
export interface HostBackup {
  /** The path of the copy on the host's machine. */
  readonly file: string;
  /** The machine of the host. */
  readonly machine: string;
  readonly bytes: number;
  /** The time between two copies. Milliseconds. */
  readonly every: number;
}

/** The file in which a host keeps pages, and its newest write. */
export interface HostFile {
  /** The id that the workspace has in its file, wherever the file is copied to. */
  readonly id: string;
  /** The number of its writes. */
  readonly writes: number;
  /** The id and time (milliseconds since the Unix epoch) of the newest write; null: there is none. */
  readonly last: { readonly id: string; readonly at: number } | null;
}

/** Held by the one process that works for a workspace and writes in it. */
export interface HostSeat {
  /** False once another process may have the seat: nothing may be written then. */
  isHeld(): boolean;
  /** Aborted once this process knows that it has lost the seat. */
  readonly lost: AbortSignal;
  /** Sets what `Exchange.host` returns from now on. Rejects with `lease_lost`. */
  setAbout(about: object): Promise<void>;
  /** Records the newest copy; `ageMs`: milliseconds since the copy was begun. Rejects with `lease_lost`. */
  recordBackup(backup: HostBackup, ageMs: number): Promise<void>;
  /** Records the file and its newest write, by which the next host's file is recognised. Rejects with `lease_lost`. */
  recordFile(file: HostFile): Promise<void>;
  /**
   * Records the runs and conversations that pages refer to: they are kept when runs are removed. Rejects with
   * `lease_lost`.
   */
  recordReferences(on: {
    readonly runs: ReadonlySet<string>;
    readonly threads: ReadonlySet<string>;
  }): Promise<void>;
  /** Rejects with `lease_lost`. */
  keepEvent(thread: string, request: string, event: { readonly kind: string }): Promise<void>;
  /** Sends an event without storing it. Rejects if that failed, which callers may ignore. */
  sendEvent(thread: string, request: string, event: object): Promise<void>;
  /** Whether an event of this kind is kept for the turn of that message. */
  hasEvent(thread: string, request: string, kind: string): Promise<boolean>;
  /** Answers questions from now on. If an answer can't be stored, the question is answered again, without harm. */
  serve(answer: (asked: unknown) => Promise<unknown>): void;
  /** Releases the seat, so that another process can take it. */
  release(): Promise<void>;
}

export interface HostChannel {
  /**
   * What the present host says about itself; null: there is no host. Contains a key of the host, so it is for fronts
   * only and must never be printed.
   */
  readAbout(): Promise<unknown>;
  /** Takes the seat; null while another process has it. `about`: what `host` returns from now on. */
  takeSeat(about: object): Promise<HostSeat | null>;
  /** Null: no host has recorded its file. */
  file(): Promise<HostFile | null>;
  /** Null: no host has recorded a copy. */
  readBackup(): Promise<(HostBackup & { readonly ageMs: number }) | null>;
  readEvents(thread: string, seq: number, max: number): Promise<readonly HostedEvent[]>;
  /** Tells the host that something was posted. */
  wake(): Promise<void>;
  /** The host's answer, as JSON. Throws `tool_failed` if none came in time. */
  ask(asked: object, patienceMs?: number): Promise<unknown>;
  listen(heard: (said: HostNotice) => void): () => void;
  close(): Promise<void>;
}
