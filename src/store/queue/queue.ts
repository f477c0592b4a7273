/**
 * A durable queue: a job is stored before it is acknowledged, claimed by one worker at a time, and settled once. A
 * worker that dies, or stalls past its lease, loses its jobs to others, and can no longer settle them. An implementer
 * must not: report something as done before it survives `kill -9`, create two jobs with one key, give one job to two
 * holders, let a holder with an old fence change anything, store twice what is sent twice, or wait for its caller
 * inside a transaction.
 */
import type { Actor } from '../audit.ts';

export const jobStates = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const;
export type JobState = (typeof jobStates)[number];

export interface NewJob {
  /** The kind of work. A worker works off one topic. */
  readonly topic: string;
  /** Unique within its topic: the same key is the same job. */
  readonly key: string;
  /** The group of the job. */
  readonly group?: string;
  /** `inTurn` jobs of one group run one after another, by priority and then in order of arrival. */
  readonly inTurn?: boolean;
  /** Lower comes first; default 0. */
  readonly priority?: number;
  /** The job is not claimed before this time; default now. Milliseconds since the Unix epoch, like all times here. */
  readonly due?: number;
  /**
   * The team that the work is for. Limits can apply to a team, and a team with few jobs need not wait behind the many
   * jobs of another. Empty: no team.
   */
  readonly team?: string;
  /** The kind of work within its topic. Limits can apply to a kind. */
  readonly shape?: string;
  /** What a worker must offer to get this job, such as a repository. */
  readonly needs?: string;
  /** JSON, without secrets. */
  readonly payload: unknown;
  /**
   * Milliseconds after success until the key can be used for a new job; after a failure it can be used at once. Absent:
   * the key can never be used again.
   */
  readonly quietMs?: number;
}

export interface JobError {
  readonly code: string;
  readonly message: string;
  readonly remedy?: string;
}

export interface Job {
  /** Ascends in order of arrival; never reused. */
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
  /** How often it failed and was retried. */
  readonly attempts: number;
  /** How often it was lost because its worker died. */
  readonly deaths: number;
  /** A value that holders store for the next holder; null if there is none. */
  readonly kept: unknown;
  /** Null until the job is done. */
  readonly result: unknown;
  /** Why the job failed, was retried, or waits. */
  readonly error: JobError | null;
  readonly created: number;
  /** The time of the last change of state. */
  readonly updated: number;
}

/** The right to work on a job and to settle it. */
export interface Claim {
  readonly job: Job;
  /** Grows with each claim and each loss of the job. Calls with an older fence are refused. */
  readonly fence: number;
}

/** How a claim ends. `kept`, if given, replaces the stored value. */
export type Settlement = { readonly kept?: unknown } & (
  | { readonly kind: 'done'; readonly result?: unknown }
  | { readonly kind: 'failed'; readonly error: JobError }
  /** The job failed, and is retried after `afterMs` milliseconds. */
  | { readonly kind: 'retry'; readonly error: JobError; readonly afterMs: number }
  /**
   * The job waits again, as if it had not been claimed; with `afterMs`, for that many milliseconds. `error`: why it
   * waits.
   */
  | { readonly kind: 'release'; readonly afterMs?: number; readonly error?: JobError }
  /**
   * The process that did the work died, while the holder of the claim lives. The job keeps its place, and a death is
   * counted.
   */
  | { readonly kind: 'died' }
);

/**
 * `added`: the job was stored. `known`: the key has a job already. `full`: too many jobs wait, and nothing was stored.
 */
export type EnqueueResult =
  | { readonly kind: 'added' | 'known'; readonly job: Job }
  | { readonly kind: 'full' };

export interface ClaimRequest {
  readonly topic: string;
  readonly max: number;
  /** Runs only one job at a time that was lost before: such a job may have killed its worker. */
  readonly careful?: boolean;
  /** The needs that this worker meets; absent: all. */
  readonly offers?: readonly string[];
  /** Claims only jobs whose holder is gone, even if they are not due. */
  readonly abandoned?: boolean;
}

export interface JobQuery {
  readonly topic: string;
  readonly states?: readonly JobState[];
  readonly group?: string;
  readonly max: number;
}

/**
 * A limit on the jobs of a topic that run at once, over all workers. It is stored, and survives crashes. `team` null:
 * the rule applies to each team by itself. `shape` null: to all shapes together.
 */
export interface QueueRule {
  readonly topic: string;
  readonly team: string | null;
  readonly shape: string | null;
  /** Maximum jobs at once; null: no limit. */
  readonly max: number | null;
  /** True: no job of this rule is claimed; running jobs go on. */
  readonly paused: boolean;
}

/** The announcement of a worker. */
export interface QueueWorker {
  /** A random id of the process. */
  readonly id: string;
  readonly topics: readonly string[];
  readonly slots: number;
  /** Null: everything. */
  readonly offers: readonly string[] | null;
  /** The clock of the worker's machine at the announcement; absent for workers of older versions. */
  readonly clock?: number;
  /** The time of the last announcement. */
  readonly seen: number;
}

export interface EnqueueTerms {
  readonly maxWaiting?: number;
  /** The actor for the audit. The key of each job is then the id of a run. */
  readonly by?: Actor;
}

/** Opened in a store, and closed before the store. */
export interface Queue {
  /**
   * Stores all jobs in one commit. Existing jobs stay unchanged. If `maxWaiting` jobs of a topic wait, new ones are
   * refused.
   */
  enqueue(jobs: readonly NewJob[], terms?: EnqueueTerms): Promise<readonly EnqueueResult[]>;
  /**
   * Claims due jobs, ordered by priority, then by the number of running jobs of their team, then by how long ago this
   * queue gave their team a job, then by due time and arrival. No rule is ever exceeded. A job whose holder is gone
   * returns to its old position, and one more death is counted; a holder never loses a job to itself.
   */
  claim(request: ClaimRequest): Promise<readonly Claim[]>;
  /** Extends the lease; `kept` is for later holders. Rejects with `lease_lost`. */
  renew(claim: Claim, kept?: unknown): Promise<void>;
  /** Settles the claim; a repeated call changes nothing. Rejects with `lease_lost`. */
  settle(claim: Claim, settlement: Settlement): Promise<Job>;
  /**
   * Cancels the job, even while it is claimed, and frees its key. Rejects with `not_found`, or with `run_state` if the
   * job has ended.
   */
  cancel(id: number, by?: Actor): Promise<Job>;
  /** Lets a failed job wait again, like a new one that has a `kept` value. Rejects like `cancel`. */
  reopen(id: number, by?: Actor): Promise<Job>;
  /** Makes the waiting jobs of a group due now. */
  hasten(of: { readonly topic: string; readonly group: string }): Promise<void>;
  /** The newest job with the key; null if there is none. */
  get(topic: string, key: string): Promise<Job | null>;
  /** The job with this id; null if there is none. */
  find(id: number): Promise<Job | null>;
  /** Newest first, and how many more there are. */
  list(query: JobQuery): Promise<{ readonly jobs: readonly Job[]; readonly more: number }>;
  counts(topic: string): Promise<Readonly<Record<JobState, number>>>;
  /** The earliest due time of a waiting job; null if none waits. */
  nextDue(topic: string): Promise<number | null>;
  /** Replaces the rule with the same topic, team and shape. A rule without limit and pause only removes the old one. */
  setRule(rule: QueueRule, by?: Actor): Promise<void>;
  rules(topic: string): Promise<readonly QueueRule[]>;
  /** Announces a worker to people for `forMs` milliseconds. A worker repeats it before then. */
  announce(worker: Omit<QueueWorker, 'seen'>, forMs: number): Promise<void>;
  /** The workers whose announcement has not expired. */
  workers(): Promise<readonly QueueWorker[]>;
  /** Releases the unsettled claims that were made through this queue. */
  close(): Promise<void>;
}
