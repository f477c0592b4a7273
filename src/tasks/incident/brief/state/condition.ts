/** A state that a system reports about itself: its name, the kind of cause, and what to do first. */
import type { RootCauseCategory } from '../../../../core/index.ts';

export interface Condition {
  /** The name of the state in reports, in a few words. */
  readonly name: string;
  readonly category: RootCauseCategory;
  /**
   * root: explains a problem by itself. effect: shows that something is wrong, but not what. good: everything is well
   * again.
   */
  readonly role: 'root' | 'effect' | 'good';
  readonly remedy: string;
  /** The resource that runs out. If two run out at once, that is a cause of its own. */
  readonly resource?: 'cpu' | 'memory' | 'storage' | 'connections';
  /** Names of the settings that control this state: a change to one of them can be its cause. */
  readonly settings?: RegExp;
  /** Matches the names of conditions that this one causes elsewhere. */
  readonly bringsAbout?: RegExp;
}

/** An observed state: of which system and service, and since when. */
export interface StateSeen {
  readonly condition: Condition;
  /** `Pod/api-7f`, `orders-db`, `PostgreSQL`. */
  readonly object: string;
  readonly service: string | null;
  /** The first and last record, in milliseconds since the Unix epoch; null if the record has no time. */
  readonly first: number | null;
  readonly last: number | null;
  /** The system reported this as its present state, not only as an event. */
  readonly isCurrent: boolean;
  /** The words of the system, shortened. */
  readonly quote: string;
  readonly evidence: string;
}
