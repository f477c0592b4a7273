/** What a write may rest on beside what its caller read: what delegated work of the same conversation has read. */
import type { Caller } from '../core/index.ts';

export interface RunTrails {
  /**
   * Ids of the content that a finished run of the caller's conversation read, by its log, without what was
   * deleted since. Null for any other run, whatever the caller says of it.
   */
  readBy(run: string, caller: Pick<Caller, 'thread'>): Promise<readonly string[] | null>;
  /** The part of it that its answer cites: recorded as sources. None where it cites nothing. */
  citedBy(run: string, caller: Pick<Caller, 'thread'>): Promise<readonly string[] | null>;
  /** When the turns of the caller's conversation began, the last first. Milliseconds since the epoch. */
  turnsOf(caller: Pick<Caller, 'thread'>): Promise<readonly number[]>;
}

/** Of a host where no conversation hands on work. */
export const noRunTrails: RunTrails = Object.freeze({
  readBy: async () => null,
  citedBy: async () => null,
  turnsOf: async () => [],
});
