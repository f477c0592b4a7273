/**
 * A durable queue: a job is kept before it is acknowledged, taken by one worker at a time, and ended once. A
 * worker that dies, or is stopped past its lease, loses its jobs to the next one, and can no longer end them.
 * An implementer must not: report something as done before it survives `kill -9`, make two jobs of one key,
 * give one job to two holders, let a holder with an old fence change anything, keep twice what is sent twice,
 * or wait for its caller within a transaction.
 */
export const jobStates = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const;
export type JobState = (typeof jobStates)[number];

export interface NewJob {
  /** What kind of work it is; workers take one kind. */
  readonly topic: string;
  /** Tells it from the others of its topic: the same key again is the same job. */
  readonly key: string;
  /** What it belongs to. */
  readonly group?: string;
  /** Jobs of one group that are `inTurn` are done one after another, by priority and then as they came. */
  readonly inTurn?: boolean;
  /** Lower comes first; 0 without it. */
  readonly priority?: number;
  /** Not before; now without it. Milliseconds since the Unix epoch, as every time here. */
  readonly due?: number;
  /** JSON, without secrets. */
  readonly payload: unknown;
  /**
   * Milliseconds after the job is done until its key is free for another one; at once where it failed.
   * Absent: never.
   */
  readonly quietMs?: number;
}

export interface JobError {
  readonly code: string;
  readonly message: string;
  readonly remedy?: string;
}

export interface Job {
  /** Grows in the order in which jobs came, and is never used again. */
  readonly id: number;
  readonly topic: string;
  readonly key: string;
  readonly group: string | null;
  readonly inTurn: boolean;
  readonly priority: number;
  readonly due: number;
  readonly payload: unknown;
  readonly state: JobState;
  /** How often it was tried and failed. */
  readonly attempts: number;
  /** How often it was lost with who was at it. */
  readonly deaths: number;
  /** What a holder left for those after it; null without it. */
  readonly kept: unknown;
  /** Once it is done. */
  readonly result: unknown;
  /** Why it failed, or was tried again. */
  readonly error: JobError | null;
  readonly created: number;
  /** When its state changed last. */
  readonly updated: number;
}

/** The right to work on a job and to end it. */
export interface Claim {
  readonly job: Job;
  /** Grows with every claim, and with whatever takes the job away: commands with an older one are refused. */
  readonly fence: number;
}

/** How a claim ends. `kept`, where given, replaces what was kept. */
export type Settlement = { readonly kept?: unknown } & (
  | { readonly kind: 'done'; readonly result?: unknown }
  | { readonly kind: 'failed'; readonly error: JobError }
  /** It failed, and is tried again in so many milliseconds. */
  | { readonly kind: 'retry'; readonly error: JobError; readonly afterMs: number }
  /** As if it had not been taken; it waits so many milliseconds, or keeps its place. */
  | { readonly kind: 'release'; readonly afterMs?: number }
  /** What did the work is dead, and who held the claim is not: it keeps its place, and a death is counted. */
  | { readonly kind: 'died' }
);

/** What became of a job that was enqueued; in all but `full` it is there when this is told. */
export type Enqueued = { readonly kind: 'added' | 'known'; readonly job: Job } | { readonly kind: 'full' };

export interface ClaimRequest {
  readonly topic: string;
  readonly max: number;
  /** Of jobs that were lost with their holders only one is given out at a time: it may be to blame. */
  readonly careful?: boolean;
  /** Only jobs lost with their holder, at once; for callers that handle these before all others. */
  readonly lost?: boolean;
}

export interface JobQuery {
  readonly topic: string;
  readonly states?: readonly JobState[];
  readonly group?: string;
  readonly max: number;
}

/** A lifetime: opened in a store, closed before it. */
export interface Queue {
  /**
   * Keeps all of them with one commit; what is there already stays as it is. Where `maxWaiting` of a topic wait, a job
   * that is not there is not taken.
   */
  enqueue(jobs: readonly NewJob[], terms?: { readonly maxWaiting?: number }): Promise<readonly Enqueued[]>;
  /**
   * Takes what is due, by priority, by the time when it was due, and as it came. A job lost by its holder
   * comes back in its old place, and counts a death; a holder loses nothing to itself.
   */
  claim(request: ClaimRequest): Promise<readonly Claim[]>;
  /** Extends the lease; `kept` is there for those who come after this holder. Rejects with `lease_lost`. */
  renew(claim: Claim, kept?: unknown): Promise<void>;
  /** The same one again changes nothing. Rejects with `lease_lost`. */
  settle(claim: Claim, settlement: Settlement): Promise<Job>;
  /**
   * Ends the job, whoever works at it, and frees its key. Rejects with `not_found`, and `run_state` where it
   * has ended.
   */
  cancel(id: number): Promise<Job>;
  /** One that failed waits again, as if it were new but for what is kept. Rejects as `cancel` does. */
  reopen(id: number): Promise<Job>;
  /** What waits in a group for a later time is due now. */
  hasten(of: { readonly topic: string; readonly group: string }): Promise<void>;
  /** The newest of its key; null: there is none. */
  get(topic: string, key: string): Promise<Job | null>;
  /** The newest first, and how many more there are. */
  list(query: JobQuery): Promise<{ readonly jobs: readonly Job[]; readonly more: number }>;
  counts(topic: string): Promise<Readonly<Record<JobState, number>>>;
  /** When the next one that waits is due; null: none waits. */
  nextDue(topic: string): Promise<number | null>;
  /** Releases what was claimed through it and not settled. */
  close(): Promise<void>;
}
