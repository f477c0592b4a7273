/**
 * The alerts that came in, and the deliveries that brought them. The groups that alerts belong to are jobs of the
 * queue. An implementer must not: keep a delivery without its alerts or its alerts without it, keep one twice, or
 * report as kept what `kill -9` would lose.
 */
export interface NewAlert {
  /** The number of the group's job; null for the end of an unknown alert. */
  readonly group: number | null;
  /** Identifies an alert over its messages, from its beginning to its end. */
  readonly fingerprint: string;
  /** The alert as it was sent, with secrets masked. */
  readonly sent: string;
  readonly state: 'firing' | 'resolved' | 'note';
}

/** The number of an alert that is kept, or why it can't be. */
export type KeptAlert = number | Error;

export interface NewDelivery {
  readonly alerts: readonly NewAlert[];
  /** Identifies the delivery; null: it has no id, and is never a repetition. */
  readonly delivery: string | null;
  /**
   * The reply to repeat if the same delivery comes again, as JSON; null: a repeated delivery is processed again. `kept`
   * is in the order of `alerts`.
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
  /** Keeps all deliveries in one transaction: if the promise rejects, nothing is kept. */
  keep(deliveries: readonly NewDelivery[]): Promise<readonly KeptDelivery[]>;
  /** The ids among `deliveries` that are already stored. */
  findKnown(deliveries: readonly string[]): Promise<ReadonlySet<string>>;
  /** The groups that the newest alerts with these fingerprints belong to. */
  findGroups(fingerprints: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** An entry for each of the groups. */
  summarizeGroups(groups: readonly number[]): Promise<ReadonlyMap<number, GroupAlerts>>;
  countAlerts(): Promise<number>;
  /** Makes a test write: rejects if `keep` would reject. */
  check(): Promise<void>;
}

/** Longer than any sender tries to deliver. Milliseconds. */
export const deliveryMemoryMs = 90 * 24 * 3_600_000;
