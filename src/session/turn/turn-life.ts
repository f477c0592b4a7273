/** The run of a turn while a worker advances it: its lease, its pool and its steps. */
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
import { isExtractive } from '../../model/extractive.ts';
import type { Model } from '../../model/index.ts';
import { type RunRow, type Store, startHeartbeat, type ThreadLease, writerOf } from '../../store/index.ts';
import type { StartedBy } from '../planner/where-note.ts';

export interface TurnLife {
  readonly run: string;
  readonly pool: Pool;
  /** The part of the budget for the turn itself. */
  readonly work: Pool;
  /** The part of the budget for the model that decides open claims; null for none. */
  readonly reader: Pool | null;
  readonly step: Step;
  /** The recorded steps of the run, read only. */
  readonly recorded: Pick<Journal, 'recall'>;
  /** The events logged so far. */
  readonly events: () => readonly RunEvent[];
  /** Aborted by the caller, or when another worker has taken over. */
  readonly signal: AbortSignal;
  /** Aborted only when another worker has taken over. */
  readonly lost: AbortSignal;
  /** Logs why the turn stops here; it can be continued. */
  leave(how: 'cancelled' | 'failed' | 'interrupted', text: string): Promise<void>;
  /** Logs the end and marks the run as finished, in one transaction. */
  finish(end: RunEvent): Promise<void>;
}

export interface LifePorts {
  readonly store: Store;
  /** The model for summaries and open claims. Absent for callers that advance no turn: these check no claims. */
  readonly analyst?: Pick<Model, 'name'>;
  readonly clock: Clock;
  /** The limits of a new turn. */
  readonly limits: Amounts;
  readonly signal?: AbortSignal;
}

/** Maximum characters of a line of the log. */
const maxLength = 300;

/** The reader's share of the budget: a tenth, or nothing if a tenth is too little for a page of claims. */
const readerShare = 0.1;
const minReaderTokens = 1_000;

function splitPool(pool: Pool, limits: Amounts, isOn: boolean): Pick<TurnLife, 'work' | 'reader'> {
  const { tokens, usd, calls } = limits;
  if (!isOn || tokens === undefined || tokens * readerShare < minReaderTokens)
    return { work: pool, reader: null };
  const readerPart = (amount: number): number => Math.floor(amount * readerShare);
  const readerLimits = {
    tokens: readerPart(tokens),
    ...(usd !== undefined && { usd: usd * readerShare }),
    ...(calls !== undefined && { calls: Math.max(1, readerPart(calls)) }),
  };
  const workLimits = {
    tokens: tokens - readerPart(tokens),
    ...(usd !== undefined && { usd: usd - usd * readerShare }),
    ...(calls !== undefined && { calls: calls - readerPart(calls) }),
  };
  return {
    work: pool.child('work', { limits: workLimits }),
    reader: pool.child('reader', { limits: readerLimits }),
  };
}

/** Null if there is no such run. */
export async function findTurnRow({ runs }: Store, run: string): Promise<RunRow | null> {
  try {
    return await runs.get(run);
  } catch (error) {
    if (isSondeError(error, 'not_found')) return null;
    throw error;
  }
}

/** Makes the row of a turn's run. It may exist already, after a crash before the turn's first checkpoint. */
export async function beginRun(
  run: string,
  {
    thread,
    message,
    startedBy,
  }: {
    readonly thread: string;
    readonly message: { readonly id: string; readonly text: string };
    readonly startedBy?: StartedBy | undefined;
  },
  { store, limits, reader = false }: Pick<LifePorts, 'store' | 'limits'> & { readonly reader?: boolean },
): Promise<void> {
  if ((await findTurnRow(store, run)) !== null) return;
  const startedByField = startedBy === undefined ? {} : { started_by: startedBy };
  const params = { thread, message: message.id, limits, reader, ...startedByField };
  await store.runs.create({ id: run, shape: 'turn', question: message.text, root: '', params });
}

/**
 * Throws `run_state` while another worker has the run, `lease_lost` if one has taken it over, and whatever the work
 * throws.
 */
export async function runTurnLife<Value>(
  run: string,
  threadLease: ThreadLease,
  ports: LifePorts,
  work: (life: TurnLife) => Promise<Value>,
): Promise<Value> {
  const { store, clock } = ports;
  const { runs } = store;
  const lease = await runs.acquire(run);
  const lost = new AbortController();
  const stopHeartbeat = startHeartbeat([threadLease, lease], lost);
  const { fence } = lease;
  const writer = writerOf(store, lease);
  const { question, shape, params } = await runs.get(run);
  // A turn keeps the limits that it began with, whatever is configured now.
  const limits = (params['limits'] ?? ports.limits) as Amounts;
  try {
    writer.begin({ kind: 'run_started', shape, question, params, limits });
    const pool = openPool(store.ledger(lease), { account: run, run, fence, limits, clock });
    const pools = splitPool(
      pool,
      limits,
      params['reader'] === true && ports.analyst !== undefined && !isExtractive(ports.analyst),
    );
    const signal = AbortSignal.any([lost.signal, ...(ports.signal ? [ports.signal] : [])]);
    const value = await work({
      run,
      pool,
      ...pools,
      step: writer.steps({ pool, signal }),
      recorded: writer.recorded,
      events: () => writer.events().map(({ event }) => event),
      signal,
      lost: lost.signal,
      async leave(how, text) {
        const level = how === 'interrupted' ? 'info' : 'warning';
        const line = shortLine(plainLine(text), maxLength);
        writer.tell(`${how}/${fence}`, { kind: 'note', level, text: line });
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
    stopHeartbeat();
    await lease.release();
  }
}
