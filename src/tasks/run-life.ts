/**
 * Runs one run in one process, the same way for every kind: it settles and logs what a crash left open, opens the
 * budget, renews the lease, records the end, and releases the lease. The work of a kind of run must not: write except
 * through its life, begin anything after `lost` is aborted, or keep state between processes. It is called again with
 * the same row until it has ended.
 */

import { setTimeout as delay } from 'node:timers/promises';
import {
  type AllAmounts,
  type Amounts,
  type Clock,
  isSondeError,
  type Journal,
  type Limits,
  type LoggedEvent,
  type LogOnce,
  type Pool,
  type Step,
  systemClock,
} from '../core/index.ts';
import { openPool } from '../core/pools.ts';
import { addOverspendNotes } from '../core/runs.ts';
import type { CommitOptions, Lease, RunRow, RunWriter, Snapshots, Store } from '../store/index.ts';
import { startHeartbeat, writerOf } from '../store/run-store.ts';
import { isResumable, type RunEnd } from './run-row.ts';

/** The settings that all kinds of run share. */
export interface LifeSetting {
  readonly store: Store;
  /** The budget of the run that started this one, if any. */
  readonly pool?: Pool;
  readonly clock?: Clock;
  /** Aborts when the person stops the run. */
  readonly signal?: AbortSignal;
  /** Called with the run's id before its work begins. */
  readonly onRun?: (run: string) => void;
  /** Called with each event after it was committed to the log; not again after a resume. */
  readonly onEvent?: (event: LoggedEvent) => void;
  /** For tests: the jitter of retries, and the pause before them. */
  readonly random?: () => number;
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** What the work gets from its life, and passes on to the functions that it calls. */
export interface LiveRun {
  readonly pool: Pool;
  /** The recorded steps, read-only. */
  readonly recorded: Pick<Journal, 'recall'>;
  readonly snapshots: Snapshots;
  /** Runs a step and records its result, paid for by its pool; if the result is already recorded, returns that. */
  readonly step: Step;
  /** Writes events that belong to no step. */
  readonly tell: LogOnce;
  /** The events that are already in the log. */
  readonly loggedParams: RunWriter['events'];
  readonly clock: Clock;
  /** Aborts when the person stops the run, or the lease is lost. */
  readonly signal: AbortSignal;
  /** Aborts only when the person stops the run. */
  readonly stop: AbortSignal;
  /** Aborts with the error once the lease is lost: nothing more can be written. */
  readonly lost: AbortSignal;
  /** 0 to 1, for the jitter of retries. */
  readonly random: () => number;
  /** Resolves after `ms`, or at once when the signal aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Spent by the run so far; in a replay, what the run had spent at its end. */
  readonly spent: () => AllAmounts;
  /** Whether this is a replay: anything that is not recorded is then an error. */
  readonly replayed: boolean;
}

/** The work of one kind of run. */
export interface LifeWork<End extends RunEnd> {
  /** The limits of the pool, and the part reserved for the end. */
  readonly budget: { readonly limits: Limits; readonly reserve: Amounts };
  /** A shorter form of the parameters for the log, if those of the row are too long. */
  readonly loggedParams?: Readonly<Record<string, unknown>>;
  /** Does the work and returns its end, which may be a cancelled one. If it throws, the run can be resumed. */
  runWork(life: LiveRun): Promise<End>;
  /** The end of a finished run, from its log. */
  readEnd(run: string): Promise<End>;
}

/**
 * Runs a run to its end, or returns the result of a finished one. A cancelled run stays unfinished. `firstLease`:
 * the lease that was acquired when the run was created; it is released here. Throws `run_state` while another process
 * works on the run, `lease_lost` if another process has taken it over meanwhile, and whatever the work throws.
 */
export async function runLife<End extends RunEnd>(
  row: RunRow,
  setting: LifeSetting,
  lifeWork: LifeWork<End>,
  firstLease?: Lease,
): Promise<End> {
  const { runs } = setting.store;
  let lease = firstLease;
  try {
    try {
      setting.onRun?.(row.id);
      if (row.status === 'finished') return await lifeWork.readEnd(row.id);
      lease ??= await runs.acquire(row.id);
      return await runWithLease(row, lease, setting, lifeWork);
    } finally {
      await lease?.release();
    }
  } finally {
    if (row.params['store_artifacts'] === false) await prune(setting.store, row.id);
  }
}

async function runWithLease<End extends RunEnd>(
  row: RunRow,
  lease: Lease,
  setting: LifeSetting,
  { budget, loggedParams = row.params, runWork: work, readEnd }: LifeWork<End>,
): Promise<End> {
  const { store, clock = systemClock } = setting;
  const writer = writerOf(store, lease);
  const notifyUpTo = createNotifier(writer, setting.onEvent);
  const commit = async (options?: CommitOptions) => notifyUpTo(await writer.commit(options));
  writer.begin({
    kind: 'run_started',
    shape: row.shape,
    question: row.question,
    params: loggedParams,
    limits: budget.limits,
  });
  const pool =
    setting.pool?.child(row.id, budget) ??
    openPool(store.ledger(lease), { account: row.id, run: row.id, fence: lease.fence, ...budget, clock });
  const lostController = new AbortController();
  const stopHeartbeat = startHeartbeat([lease], lostController, () => pool.recordTime());
  const signal = AbortSignal.any([lostController.signal, ...(setting.signal ? [setting.signal] : [])]);
  try {
    const workEnd = await work({
      pool,
      recorded: writer.recorded,
      step: writer.steps({ pool, signal, commit }),
      tell: writer.tell,
      loggedParams: writer.events,
      snapshots: store.snapshots(lease),
      clock,
      signal,
      stop: setting.signal ?? new AbortController().signal,
      lost: lostController.signal,
      random: setting.random ?? Math.random,
      sleep: setting.sleep ?? pause,
      spent() {
        pool.recordTime();
        return pool.spent();
      },
      replayed: false,
    });
    lostController.signal.throwIfAborted();
    const end = { ...workEnd, result: addOverspendNotes(workEnd.result, writer.events()) };
    const isUnfinished = isResumable(end);
    const finished = { kind: 'run_finished' as const, ...end, spent: end.result.spent };
    if (isUnfinished) writer.tell(`run-cancelled/${lease.fence}`, finished);
    else writer.finish(finished);
    await commit({ onDisk: true });
    return isUnfinished ? end : await readEnd(row.id);
  } catch (thrown) {
    // A refused write shows the loss of the lease before the next heartbeat does.
    if (isSondeError(thrown, 'lease_lost')) lostController.abort(thrown);
    // Keeps what was found so far. If that fails, the original error matters more.
    if (!lostController.signal.aborted) await commit().catch(() => {});
    throw thrown;
  } finally {
    stopHeartbeat();
    // Records the worked time, unless the lease is lost.
    if (!lostController.signal.aborted) pool.close();
  }
}

/** Passes committed events to the listener. An error of the listener undoes nothing, since they are committed. */
function createNotifier({ events }: RunWriter, listener: LifeSetting['onEvent']): (lastSeq: number) => void {
  if (listener === undefined) return () => {};
  let lastHeardSeq = events().at(-1)?.seq ?? 0;
  return (lastSeq) => {
    for (const logged of events(lastHeardSeq)) {
      if (logged.seq > lastSeq) return;
      lastHeardSeq = logged.seq;
      listener(logged);
    }
  };
}

async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(ms, undefined, signal ? { signal } : {}).catch(() => {});
}

/** Removes the artifacts of a run that was asked to keep none, once it no longer needs them. */
async function prune(store: Store, run: string): Promise<void> {
  const { status } = await store.runs.get(run);
  if (status === 'finished' && !(await store.runs.isHeld(run))) await store.runs.prune(run);
}
