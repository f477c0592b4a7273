/**
 * The content that delegated work of the same conversation has read. A write may cite it like the caller's own reads.
 */
import type { Caller } from '../core/index.ts';

export interface RunTrails {
  /**
   * Ids of the content that a finished run of the caller's conversation read, by its log, without content that was
   * deleted since. Null for any other run, whatever the caller claims.
   */
  findRead(run: string, caller: Pick<Caller, 'thread'>): Promise<readonly string[] | null>;
  /** The part of this content that the run's answer cites. Empty if the answer cites nothing. */
  findCited(run: string, caller: Pick<Caller, 'thread'>): Promise<readonly string[] | null>;
  /** When the turns of the caller's conversation began, the latest first. Milliseconds since the epoch. */
  listTurns(caller: Pick<Caller, 'thread'>): Promise<readonly number[]>;
}

/** For a host whose conversations delegate no work. */
export const noRunTrails: RunTrails = Object.freeze({
  findRead: async () => null,
  findCited: async () => null,
  listTurns: async () => [],
});
