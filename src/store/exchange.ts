/**
 * What the fronts of a workspace and its host say to each other where they are processes of several machines. There is one
 * host at a time. An implementer must not: tell of an event before it is kept, let a host that was replaced keep or answer
 * anything, or have anything of it delay the commit of a step.
 */

export interface HostedEvent {
  /** 1, 2, 3 … within the thread. */
  readonly seq: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** The message whose turn it is of. */
  readonly request: string;
  readonly event: { readonly kind: string };
}

/** What is heard at once by all who listen. */
export type Said =
  | { readonly kind: 'kept'; readonly thread: string; readonly seq: number }
  /** Of no use later, and kept nowhere. */
  | { readonly kind: 'passing'; readonly thread: string; readonly request: string; readonly event: object }
  /** There is something in the queue. */
  | { readonly kind: 'posted' }
  | { readonly kind: 'asked' }
  | { readonly kind: 'answered'; readonly id: string }
  /** Something may have been said that was not heard: look for yourself. */
  | { readonly kind: 'missed' };

/** The newest copy of a workspace's pages and memory, which are with its host alone. */
export interface HostBackup {
  /** Where it is, as its host sees it. */
  readonly file: string;
  /** The machine of the host. */
  readonly machine: string;
  readonly bytes: number;
  /** The time between two copies. Milliseconds. */
  readonly every: number;
}

/** The place of the one process that works for a workspace, and writes in it. */
export interface HostSeat {
  /** False once somebody else may have it, as far as this process can know: nothing is written then. */
  isHeld(): boolean;
  /** Aborted once somebody else has it. */
  readonly lost: AbortSignal;
  /** What `Exchange.host` gives from now on. Rejects with `lease_lost`. */
  say(about: object): Promise<void>;
  /** Keeps what is known of the newest copy, which was begun so many milliseconds ago. Rejects with `lease_lost`. */
  copied(backup: HostBackup, ageMs: number): Promise<void>;
  /** Rejects with `lease_lost`. */
  keep(thread: string, request: string, event: { readonly kind: string }): Promise<void>;
  /** Rejects where it could not be told; nobody needs to mind. */
  pass(thread: string, request: string, event: object): Promise<void>;
  /** Whether an event of this kind was kept of that message. */
  hasKept(thread: string, request: string, kind: string): Promise<boolean>;
  /** Answers what is asked from now on. What is asked twice, since an answer was lost, must do no harm. */
  serve(answer: (asked: unknown) => Promise<unknown>): void;
  /** For the next one. */
  release(): Promise<void>;
}

export interface Exchange {
  /**
   * What the host that is there says of itself; null: none is there. It holds a key of the host's, and so is for fronts
   * alone: it must be printed nowhere.
   */
  host(): Promise<unknown>;
  /** Null while another host is there. `about`: JSON. */
  take(about: object): Promise<HostSeat | null>;
  /** Null: no host has told of a copy. */
  backup(): Promise<(HostBackup & { readonly ageMs: number }) | null>;
  after(thread: string, seq: number, max: number): Promise<readonly HostedEvent[]>;
  /** Tells the host that something was posted. */
  wake(): Promise<void>;
  /** The host's answer, as JSON. Throws `tool_failed` if none came in time. */
  ask(asked: object, patienceMs?: number): Promise<unknown>;
  listen(heard: (said: Said) => void): () => void;
  close(): Promise<void>;
}
