/** What came of looking for a clause in a record. */
import type { Record } from './records.ts';

/** A record that shows a clause, and when what it shows was; null where it tells no time. */
export interface Shown {
  readonly record: Record | null;
  readonly time: string | null;
}

/** How far a record got before it failed: of several reasons that of the one that came farthest is told. */
export interface Missing {
  readonly stage: number;
  readonly reason: string;
}

export const missing = (stage: number, reason: string): Missing => ({ stage, reason });
export const isMissing = (found: Shown | Missing): found is Missing => 'reason' in found;
