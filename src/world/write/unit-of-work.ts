import type { Database } from '../../store/index.ts';
import type { WorldWrite } from '../world-write.ts';
import type { Act } from './act.ts';
import type { Trace } from './trace.ts';

/** One write in progress: its transaction, the author of its changes, and the changes so far. */
export interface UnitOfWork {
  readonly db: Database;
  readonly write: WorldWrite;
  /** The id of the write in the log. */
  readonly write_id: string;
  readonly act: Act;
  readonly trace: Trace;
}

/** The same write, acting for another caller. A held write is performed in the name of its own caller. */
export function actingAs(unit: UnitOfWork, change: Partial<Act>): UnitOfWork {
  return { ...unit, act: { ...unit.act, ...change } };
}
