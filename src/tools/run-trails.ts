/** Content that delegated work of the same conversation has read: a write may cite it, like the caller's own reads. */
import type { Caller } from '../core/index.ts';

export interface RunTrails {
  /**
   * Ids of the content that a finished run of the caller's conversation read, by its log, without what was
   * deleted since. Null for any other run, whatever the caller says of it.
   */
  readBy(run: string, caller: Pick<Caller, 'thread'>): Promise<readonly string[] | null>;
  /** The part of this content that the run's answer cites. Empty if the answer cites nothing. */
  citedBy(run: string, caller: Pick<Caller, 'thread'>): Promise<readonly string[] | null>;
  /** When the turns of the caller's conversation began, the latest first. Milliseconds since the epoch. */
  turnsOf(caller: Pick<Caller, 'thread'>): Promise<readonly number[]>;
}

/** For a host whose conversations delegate no work. */
export const noRunTrails: RunTrails = Object.freeze({
  readBy: async () => null,
  citedBy: async () => null,
  turnsOf: async () => [],
});
