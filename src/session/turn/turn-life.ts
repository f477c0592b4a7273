/** The run of a turn while somebody works on it: its lease, its pool and its steps. */
import {
  type Amounts,
  type Clock,
  isSondeError,
  type Journal,
  type Pool,
  plainLine,
  type RunEvent,
  type Step,
  shortLine,
} from '../../core/index.ts';
import { openPool } from '../../core/pools.ts';
import { heartbeat, type RunRow, type Store, type ThreadLease, writerOf } from '../../store/index.ts';

export interface TurnLife {
  readonly run: string;
  readonly pool: Pool;
  readonly step: Step;
  /** What was recorded of the run, to look at. */
  readonly recorded: Pick<Journal, 'recall'>;
  /** The events logged so far. */
  readonly events: () => readonly RunEvent[];
  /** Aborted by who asked for the turn, and when another worker has taken over. */
  readonly signal: AbortSignal;
  /** Aborted by the latter alone. */
  readonly lost: AbortSignal;
  /** Why it stands still; it can be gone on with. */
  leave(how: 'cancelled' | 'failed' | 'interrupted', text: string): Promise<void>;
  /** A run whose log has an end is finished, in one transaction. */
  finish(end: RunEvent): Promise<void>;
}

export interface LifePorts {
  readonly store: Store;
  readonly clock: Clock;
  /** The limits of a new turn. */
  readonly limits: Amounts;
  readonly signal?: AbortSignal;
}

/** Characters of a line of the log. */
const maxLength = 300;

/** Null: there is none. */
export async function turnRow({ runs }: Store, run: string): Promise<RunRow | null> {
  try {
    return await runs.get(run);
  } catch (error) {
    if (isSondeError(error, 'not_found')) return null;
    throw error;
  }
}

/** Throws `run_state` while another worker has the run, `lease_lost` where one has taken over, and what the work throws. */
export async function liveTurn<Value>(
  run: string,
  threadLease: ThreadLease,
  ports: LifePorts,
  work: (life: TurnLife) => Promise<Value>,
): Promise<Value> {
  const { store, clock } = ports;
  const { runs } = store;
  const lease = await runs.acquire(run);
  const lost = new AbortController();
  const stopHeart = heartbeat([threadLease, lease], lost);
  const { fence } = lease;
  const writer = writerOf(store, lease);
  const { question, shape, params } = await runs.get(run);
  // The limits it began with, whatever is configured now: going on does not change a budget.
  const limits = (params['limits'] ?? ports.limits) as Amounts;
  try {
    writer.begin({ kind: 'run_started', shape, question, params, limits });
    const pool = openPool(store.ledger(lease), { account: run, run, fence, limits, clock });
    const signal = AbortSignal.any([lost.signal, ...(ports.signal ? [ports.signal] : [])]);
    const value = await work({
      run,
      pool,
      step: writer.steps({ pool, signal }),
      recorded: writer.recorded,
      events: () => writer.told().map(({ event }) => event),
      signal,
      lost: lost.signal,
      async leave(how, text) {
        const level = how === 'interrupted' ? 'info' : 'warning';
        const said = shortLine(plainLine(text), maxLength);
        writer.tell(`${how}/${fence}`, { kind: 'note', level, text: said });
        await writer.commit();
      },
      async finish(end) {
        writer.finish(end);
        await writer.commit();
      },
    });
    lost.signal.throwIfAborted();
    return value;
  } finally {
    stopHeart();
    await lease.release();
  }
}
