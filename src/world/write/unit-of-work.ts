import type { Database } from '../../store/index.ts';
import type { WorldWrite } from '../world-write.ts';
import type { Act } from './act.ts';
import type { Trace } from './trace.ts';

/** A write in progress: its transaction, its act, and the changes so far. */
export interface UnitOfWork {
  readonly db: Database;
  readonly write: WorldWrite;
  /** The id of the write in the log. */
  readonly write_id: string;
  readonly act: Act;
  readonly trace: Trace;
}

/** The same write with another act, such as that of the submitter of a held write. */
export function withAct(unit: UnitOfWork, change: Partial<Act>): UnitOfWork {
  return { ...unit, act: { ...unit.act, ...change } };
}
