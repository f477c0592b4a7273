/**
 * The received alerts, and the deliveries that brought them. The groups of alerts are jobs of the queue. An implementer
 * must not: store a delivery without its alerts or alerts without their delivery, store one twice, or report something
 * as stored that `kill -9` would lose.
 */
export interface NewAlert {
  /** The id of the group's job; null for the end of an unknown alert. */
  readonly group: number | null;
  /** Identifies an alert in all of its messages, from its start to its end. */
  readonly fingerprint: string;
  /** The alert as it was sent, with secrets masked. */
  readonly sent: string;
  readonly state: 'firing' | 'resolved' | 'note';
}

/** The id of a stored alert, or why it can't be stored. */
export type KeptAlert = number | Error;

export interface NewDelivery {
  readonly alerts: readonly NewAlert[];
  /** The id of the delivery; null: it has none, and is never a repetition. */
  readonly delivery: string | null;
  /**
   * Returns the reply to send if the same delivery comes again, as JSON; null: a repeated delivery is processed again.
   * `kept` is in the order of `alerts`.
   */
  remember(kept: readonly KeptAlert[]): unknown;
}

export type KeptDelivery =
  | { readonly kind: 'kept'; readonly alerts: readonly KeptAlert[] }
  /** The delivery was stored before, so nothing was done. */
  | { readonly kind: 'repeated'; readonly answer: unknown };

export interface GroupAlerts {
  readonly alerts: number;
  /** Whether all of its alerts have ended; false for a group without an alert. */
  readonly closed: boolean;
}

/** Promises reject with the errors of their store. */
export interface AlertRecords {
  /** Stores all deliveries in one transaction: if the promise rejects, nothing is stored. */
  keep(deliveries: readonly NewDelivery[]): Promise<readonly KeptDelivery[]>;
  /** The ids among `deliveries` that are already stored. */
  findKnown(deliveries: readonly string[]): Promise<ReadonlySet<string>>;
  /** The group of the newest alert with each of these fingerprints. */
  findGroups(fingerprints: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** An entry for each of the groups. */
  summarizeGroups(groups: readonly number[]): Promise<ReadonlyMap<number, GroupAlerts>>;
  countAlerts(): Promise<number>;
  /** Makes a test write: rejects if `keep` would reject. */
  check(): Promise<void>;
}

/** How long deliveries are remembered: longer than any sender retries. Milliseconds. */
export const deliveryMemoryMs = 90 * 24 * 3_600_000;
