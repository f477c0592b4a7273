/**
 * A durable queue: a job is kept before it is acknowledged, claimed by one worker at a time, and ended once. A worker
 * that dies, or stalls past its lease, loses its jobs to the next one, and can no longer end them. An implementer
 * must not: report something as done before it survives `kill -9`, make two jobs of one key, give one job to two
 * holders, let a holder with an old fence change anything, keep twice what is sent twice, or wait for its caller
 * inside a transaction.
 */
import type { Actor } from '../audit.ts';

export const jobStates = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const;
export type JobState = (typeof jobStates)[number];

export interface NewJob {
  /** The kind of work; a worker takes one kind. */
  readonly topic: string;
  /** Unique within its topic: the same key is the same job. */
  readonly key: string;
  /** The group it belongs to. */
  readonly group?: string;
  /** `inTurn` jobs of one group run one after another, by priority and then in order of arrival. */
  readonly inTurn?: boolean;
  /** Lower comes first; default 0. */
  readonly priority?: number;
  /** The job is not claimed before this time; default now. Milliseconds since the Unix epoch, as every time here. */
  readonly due?: number;
  /**
   * The team that the work is for. Limits can apply to a team, and a team with few jobs need not wait behind the many
   * jobs of another. Empty: no team.
   */
  readonly team?: string;
  /** The kind of work within its topic. Limits can apply to a kind. */
  readonly shape?: string;
  /** What a worker must have for this job, such as a repository; only workers that offer it get the job. */
  readonly needs?: string;
  /** JSON, without secrets. */
  readonly payload: unknown;
  /**
   * Milliseconds after success until the key may be used for a new job; after a failure it is free at once. Absent:
   * never.
   */
  readonly quietMs?: number;
}

export interface JobError {
  readonly code: string;
  readonly message: string;
  readonly remedy?: string;
}

export interface Job {
  /** Grows in order of arrival, and is never reused. */
  readonly id: number;
  readonly topic: string;
  readonly key: string;
  readonly group: string | null;
  readonly inTurn: boolean;
  readonly priority: number;
  readonly due: number;
  readonly team: string;
  readonly shape: string;
  /** Null: any worker will do. */
  readonly needs: string | null;
  readonly payload: unknown;
  readonly state: JobState;
  /** How often it ran and failed. */
  readonly attempts: number;
  /** How often it was lost because its worker died. */
  readonly deaths: number;
  /** What the last holder recorded for the next one; null for nothing. */
  readonly kept: unknown;
  /** Present once it is done. */
  readonly result: unknown;
  /** Why it failed, was tried again, or waits. */
  readonly error: JobError | null;
  readonly created: number;
  /** When its state changed last. */
  readonly updated: number;
}

/** The right to work on a job and to end it. */
export interface Claim {
  readonly job: Job;
  /** Grows with every claim and every loss of the job. Calls with an older fence are refused. */
  readonly fence: number;
}

/** How a claim ends. `kept`, if given, replaces the stored value. */
export type Settlement = { readonly kept?: unknown } & (
  | { readonly kind: 'done'; readonly result?: unknown }
  | { readonly kind: 'failed'; readonly error: JobError }
  /** The job failed, and is tried again after `afterMs` milliseconds. */
  | { readonly kind: 'retry'; readonly error: JobError; readonly afterMs: number }
  /**
   * The job waits again, as if never claimed: for `afterMs` milliseconds, or else at its old place. `error`: why it
   * waits.
   */
  | { readonly kind: 'release'; readonly afterMs?: number; readonly error?: JobError }
  /**
   * The process that did the work died while the holder of the claim lives: the job keeps its place, and a death is
   * counted.
   */
  | { readonly kind: 'died' }
);

/** `added`: the job is now stored. `known`: the key has a job already. `full`: nothing was stored. */
export type EnqueueResult =
  | { readonly kind: 'added' | 'known'; readonly job: Job }
  | { readonly kind: 'full' };

export interface ClaimRequest {
  readonly topic: string;
  readonly max: number;
  /** Of the jobs that were lost before, only one runs at a time: such a job may be what ended its worker. */
  readonly careful?: boolean;
  /** The needs of jobs that this worker can meet; absent: all. */
  readonly offers?: readonly string[];
  /** Claims only jobs whose holder is gone, and these at once; for callers that handle them before all others. */
  readonly abandoned?: boolean;
}

export interface JobQuery {
  readonly topic: string;
  readonly states?: readonly JobState[];
  readonly group?: string;
  readonly max: number;
}

/**
 * How many jobs may run at once, over all workers: stored with the jobs, and still in force after crashes. If `team` is
 * null, the rule applies to each team by itself; if `shape` is null, to all shapes together.
 */
export interface QueueRule {
  readonly topic: string;
  readonly team: string | null;
  readonly shape: string | null;
  /** Jobs at once; null: any number. */
  readonly max: number | null;
  /** No job under this rule is given out; jobs that run go on. */
  readonly paused: boolean;
}

/** A worker as it announced itself. */
export interface QueueWorker {
  /** An id that each process chooses for itself. */
  readonly id: string;
  readonly topics: readonly string[];
  readonly slots: number;
  /** Null: everything. */
  readonly offers: readonly string[] | null;
  /** The time on the worker's machine at the announcement; absent: announced by an older version. */
  readonly clock?: number;
  /** When it announced itself last. */
  readonly seen: number;
}

export interface EnqueueTerms {
  readonly maxWaiting?: number;
  /** Who queues the jobs, for the audit. The key of each job is then the id of a run. */
  readonly by?: Actor;
}

/** Opened in a store, and closed before the store. */
export interface Queue {
  /**
   * Stores all of them in one commit; existing ones stay unchanged. If `maxWaiting` jobs of a topic wait, new ones
   * are refused.
   */
  enqueue(jobs: readonly NewJob[], terms?: EnqueueTerms): Promise<readonly EnqueueResult[]>;
  /**
   * Claims due jobs: by priority, then by the team with the fewest running jobs, then by the team that this queue gave
   * none for the longest time, then by due time and arrival. No rule is ever exceeded. A job lost by its holder returns
   * to its old position, with one more death counted; a holder never loses a job to itself.
   */
  claim(request: ClaimRequest): Promise<readonly Claim[]>;
  /** Extends the lease; `kept` is for later holders. Rejects with `lease_lost`. */
  renew(claim: Claim, kept?: unknown): Promise<void>;
  /** Ends the claim; a repeated call changes nothing. Rejects with `lease_lost`. */
  settle(claim: Claim, settlement: Settlement): Promise<Job>;
  /**
   * Ends the job even while it is worked on, and frees its key. Rejects with `not_found`, or with `run_state` if it
   * has ended.
   */
  cancel(id: number, by?: Actor): Promise<Job>;
  /** A failed job waits again, like a new one except for its kept value. Rejects as `cancel` does. */
  reopen(id: number, by?: Actor): Promise<Job>;
  /** Makes the waiting jobs of a group due now. */
  hasten(of: { readonly topic: string; readonly group: string }): Promise<void>;
  /** The newest job of the key; null for none. */
  get(topic: string, key: string): Promise<Job | null>;
  /** Null for none. */
  find(id: number): Promise<Job | null>;
  /** Newest first, and how many more there are. */
  list(query: JobQuery): Promise<{ readonly jobs: readonly Job[]; readonly more: number }>;
  counts(topic: string): Promise<Readonly<Record<JobState, number>>>;
  /** When the next waiting job is due; null if none waits. */
  nextDue(topic: string): Promise<number | null>;
  /** Replaces the rule of the same topic, team and shape. Without limit and pause, only removes the old rule. */
  setRule(rule: QueueRule, by?: Actor): Promise<void>;
  rules(topic: string): Promise<readonly QueueRule[]>;
  /** Shows people which workers there are. A worker announces itself again before `forMs` milliseconds are over. */
  announce(worker: Omit<QueueWorker, 'seen'>, forMs: number): Promise<void>;
  /** The workers whose announcement has not run out. */
  workers(): Promise<readonly QueueWorker[]>;
  /** Releases the claims made through it and not settled. */
  close(): Promise<void>;
}
