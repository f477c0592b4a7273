/**
 * The audit: who did what. Each row is written in the transaction of the act itself, so that there is never one without
 * the other. Methods of other contracts take the actor (`by`) and write the row. Without `by` they write none: Sonde
 * acts on its own then. An implementer must not: change or remove a row, keep a row for an act that was refused, or
 * store a secret or a person's text in a row.
 */
/** What is done; pages have the names of their operations (`update_page`, `promote`). */
export type ActName =
  | 'role_set'
  | 'role_removed'
  | 'schedule_added'
  | 'schedule_enabled'
  | 'schedule_disabled'
  | 'schedule_removed'
  | 'run_queued'
  | 'run_started'
  | 'run_cancelled'
  | 'run_removed'
  | 'queue_rule_set'
  | 'job_cancelled'
  | 'job_retried'
  | 'token_added'
  | 'token_removed'
  | 'team_added'
  | 'team_given'
  | 'team_taken'
  | 'team_budget';

/** Who acts: a person at a machine (`user:alice`), or the holder of a token (`token:phone`). */
export interface Actor {
  readonly name: string;
  /** Empty: no team. */
  readonly team: string;
}

export interface Act {
  readonly act: ActName;
  /** What it was done to: an id or a name, never a text. */
  readonly on: string;
  /** The outcome. Default `done`, for acts that have only one outcome. */
  readonly result?: string;
}

/** An act and who does it, for verbs that serve several kinds of acts. */
export interface AuditedAct {
  readonly by: Actor;
  readonly act: Act;
}

export interface AuditRow extends Required<Omit<Act, 'act'>> {
  readonly id: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly actor: string;
  readonly team: string;
  /** An `ActName`, or another one of a newer Sonde. */
  readonly act: string;
}

export interface AuditQuery {
  /** Rows from this time on. Milliseconds since the Unix epoch. */
  readonly since?: number;
  readonly actor?: string;
  /** Only what comes after this row in the order of the list. */
  readonly after?: Pick<AuditRow, 'at' | 'id'>;
  readonly max: number;
}

export interface Audit {
  /** Keeps an act that changes no row of the store, such as a message to a process. */
  keep(act: Act, by: Actor): Promise<void>;
  /** Newest first; rows of the same time are in the order of their ids, the largest first. */
  list(query: AuditQuery): Promise<readonly AuditRow[]>;
}
