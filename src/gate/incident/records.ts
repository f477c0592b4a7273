/** Records of an incident, as plain data: what a claim about it is held against, one at a time. */

export interface SeriesRecord {
  readonly kind: 'series';
  readonly metric: string;
  /** What it is of, as it is written beside the metric. */
  readonly labels: string;
  /** By the values before and after; null: no change was found in it. */
  readonly direction: 'up' | 'down' | null;
  /** When it began to move, as often as that was worked out. ISO 8601. */
  readonly onsets: readonly string[];
  /** Other times that were worked out: of its extreme and its end. */
  readonly turns: readonly string[];
  /** It is back where it was. */
  readonly isOver: boolean;
  /** What it went from and to, as often as that was worked out. */
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
  /** Ids of the commits that it brings. */
  readonly brings: readonly string[];
  readonly paths: readonly string[];
  /** Lines of its diff, without their marks. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** All lines below its head, as they stand. */
  readonly lines: readonly string[];
}

export interface LogRecord {
  readonly kind: 'log';
  /** Who logged it; null where that is not told. */
  readonly owner: string | null;
  /** A line, or the pattern of many, whose variable parts are `<…>`. */
  readonly text: string;
  /** How often, and how often in calm times; null of a single line. */
  readonly count: number | null;
  readonly baseline: number | null;
  readonly times: readonly string[];
}

export type IncidentRecord = SeriesRecord | ChangeRecord | LogRecord;

export const isDelivery = ({ of }: Pick<ChangeRecord, 'of'>): boolean =>
  of === 'deploy' || of === 'rollout' || of === 'release';
