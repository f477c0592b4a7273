/**
 * The audit: who did what. Each row is written in the transaction of its act, so that neither exists without the other.
 * Methods of other contracts take the actor (`by`) and write the row. Without `by`, Sonde acts by itself, and no row is
 * written. An implementer must not: change or remove a row, write a row for a refused act, or store a secret or a
 * person's text in a row.
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
  /** The target of the act: an id or a name, never a text. */
  readonly on: string;
  /** The outcome; default `done`. */
  readonly result?: string;
}

/** An act and its actor, for methods that serve several kinds of acts. */
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
  /** An `ActName`, or a name that a newer Sonde wrote. */
  readonly act: string;
}

export interface AuditQuery {
  /** Rows from this time on. Milliseconds since the Unix epoch. */
  readonly since?: number;
  readonly actor?: string;
  /** Only rows after this one in the order of the list. */
  readonly after?: Pick<AuditRow, 'at' | 'id'>;
  readonly max: number;
}

export interface Audit {
  /** Records an act that changes no other row of the store, such as a message to a process. */
  keep(act: Act, by: Actor): Promise<void>;
  /** Newest first; rows of the same time by descending id. */
  list(query: AuditQuery): Promise<readonly AuditRow[]>;
}
