/** Records of an incident as plain data: a claim is checked against them one at a time. */

export interface SeriesRecord {
  readonly kind: 'series';
  readonly metric: string;
  /** The labels as written next to the metric. */
  readonly labels: string;
  /** The direction from the value before to the value after; null if no change was found. */
  readonly direction: 'up' | 'down' | null;
  /** The calculated times at which the series began to change. ISO 8601. */
  readonly onsets: readonly string[];
  /** Other calculated times: of its extreme, and of its end. */
  readonly turns: readonly string[];
  /** Whether the series is back at its earlier level. */
  readonly isOver: boolean;
  /** Every calculated pair of start and end values. */
  readonly moves: readonly (readonly [from: number, to: number])[];
  /** Time and value. */
  readonly points: readonly (readonly [time: string, value: number])[];
}

export interface ChangeRecord {
  readonly kind: 'change';
  /** commit, deploy, flag, config … */
  readonly of: string;
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  readonly service: string | null;
  readonly title: string;
  /** Ids of the commits that it delivers. */
  readonly brings: readonly string[];
  readonly paths: readonly string[];
  /** Lines of its diff, without their marks. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** All lines of the diff below its head, unchanged. */
  readonly lines: readonly string[];
}

export interface LogRecord {
  readonly kind: 'log';
  /** The service that logged it; null if unknown. */
  readonly owner: string | null;
  /** A line, or a pattern of many, whose variable parts are `<…>`. */
  readonly text: string;
  /** The number of lines of the pattern, now and in the baseline; null for a single line. */
  readonly count: number | null;
  readonly baseline: number | null;
  readonly times: readonly string[];
}

export type IncidentRecord = SeriesRecord | ChangeRecord | LogRecord;

export const isDelivery = ({ of }: Pick<ChangeRecord, 'of'>): boolean =>
  of === 'deploy' || of === 'rollout' || of === 'release';

/** The result of comparing one record with a claim. */
export type Finding =
  | { readonly kind: 'shown' }
  /** The record is about the same subject and contradicts the claim. */
  | { readonly kind: 'against'; readonly why: string }
  /** The record neither shows nor excludes the claim. */
  | { readonly kind: 'open'; readonly why: string }
  /** The record contains nothing of the claim, or only a part. */
  | { readonly kind: 'lacks'; readonly why: string };

export const shown: Finding = Object.freeze({ kind: 'shown' });
export const against = (why: string): Finding => ({ kind: 'against', why });
export const open = (why: string): Finding => ({ kind: 'open', why });
export const lacks = (why: string): Finding => ({ kind: 'lacks', why });
