/** What a write may rest on beside what its caller read: what work that the same conversation handed on has read. */
import type { Caller } from '../core/index.ts';

export interface RunTrails {
  /**
   * Ids of the content that a finished run of the caller's conversation read, as its log has them, without what is gone
   * since. Null for what is no such run, whatever the caller says of it.
   */
  readBy(run: string, caller: Pick<Caller, 'thread'>): Promise<readonly string[] | null>;
  /** Of that, what its answer cites: what is recorded as a source. None where it cites nothing. */
  citedBy(run: string, caller: Pick<Caller, 'thread'>): Promise<readonly string[] | null>;
}

/** Of a host where no conversation hands on work. */
export const noRunTrails: RunTrails = Object.freeze({
  readBy: async () => null,
  citedBy: async () => null,
});
