/** Runs the steps of a run: recalls or reserves, runs, records, settles and logs each. */
import {
  type Amounts,
  type BudgetEnd,
  isSondeError,
  type Journal,
  type Reservation,
  type RunLog,
  type Step,
  type StepDone,
  type StepResult,
  type StepWork,
} from '../../core/index.ts';
import type { CommitOptions } from '../store.ts';

/** The ports of steps. */
export interface StepPorts {
  readonly journal: Journal;
  readonly log: Pick<RunLog, 'append'>;
  /** The budget of steps that cost something. */
  readonly pool: NonNullable<StepWork<unknown>['pool']>;
  /** Writes inside (to journal, log and pool) are stored together, or not at all. */
  readonly atomic: <Value>(work: () => Value) => Value;
  /** Resolves once all writes are durable. Rejects with `lease_lost`. */
  readonly commit: (options?: CommitOptions) => Promise<void>;
  /** Aborted when the run should stop, or has lost its lease. */
  readonly signal: AbortSignal;
}

export function openSteps(ports: StepPorts): Step {
  const { journal, log, atomic, commit, signal } = ports;
  /**
   * The number of attempts of each key in this process. Each attempt needs its own reservation, since a settled one
   * can't be used again.
   */
  const attempts = new Map<string, number>();

  async function runStep<Value>(key: string, work: StepWork<Value>): Promise<StepResult<Value>> {
    const attempt = (attempts.get(key) ?? 0) + 1;
    attempts.set(key, attempt);
    const name = attempt === 1 ? key : `${key}/again-${attempt}`;
    const { pool = ports.pool } = work;
    const reservation =
      work.cost === undefined ? null : await reserve(name, work, work.cost, { pool, signal });
    if (reservation?.kind === 'cancelled') return reservation;
    if (reservation?.kind === 'exhausted') {
      const recorded = atomic(() => journal.record(exhaustionKey(key), reservation)) as BudgetEnd;
      await commitUnlessDeferred(work);
      return recorded;
    }
    if (work.startEvent !== undefined) {
      const event =
        typeof work.startEvent === 'function' ? work.startEvent(reservation?.amounts ?? {}) : work.startEvent;
      log.append(`${name}/begun`, event);
    }
    // A request may be billed once it is sent, so its reservation must survive a crash.
    const isBilled = reservation !== null && isBillable(reservation.amounts);
    if (isBilled) await commit();
    let stepDone: StepDone<Value>;
    try {
      stepDone = await work.run(createStepSignal(work, { pool, signal }), key);
    } catch (thrown) {
      if (isSondeError(thrown, 'lease_lost')) throw thrown;
      // Sent requests may be billed, so the whole reservation counts as spent.
      reservation?.settle('unknown');
      await commit();
      if (isStopped(work)) return { kind: 'cancelled' };
      throw thrown;
    }
    if (isStopped(work) && stepDone.keepIfCancelled !== true) {
      reservation?.settle(stepDone.spent ?? {});
      await commit();
      return { kind: 'cancelled' };
    }
    const value = atomic(() => {
      const recorded =
        stepDone.record === false ? stepDone.value : (journal.record(key, stepDone.value) as Value);
      reservation?.settle(stepDone.spent ?? {});
      for (const [eventKey, event] of stepDone.events ?? []) log.append(eventKey, event);
      return recorded;
    });
    // A paid result must also survive a power failure.
    if (isBilled) await commit({ onDisk: true });
    else await commitUnlessDeferred(work);
    return { kind: 'done', value, recalled: false };
  }

  const isStopped = ({ evenIfStopped = false }: Pick<StepWork<unknown>, 'evenIfStopped'>): boolean =>
    signal.aborted && !evenIfStopped;

  async function commitUnlessDeferred({
    deferCommit: isDeferred = false,
  }: Pick<StepWork<unknown>, 'deferCommit'>): Promise<void> {
    if (!isDeferred) await commit();
  }

  return async (key, work) => {
    const recordedValue = journal.recall(key);
    if (recordedValue !== undefined) return { kind: 'done', value: recordedValue as never, recalled: true };
    const recordedRefusal = journal.recall(exhaustionKey(key)) as BudgetEnd | undefined;
    if (recordedRefusal !== undefined) return recordedRefusal;
    return isStopped(work) ? { kind: 'cancelled' } : runStep(key, work);
  };
}

/** The key that records an exhausted budget. The key of the step itself has only its value. */
const exhaustionKey = (key: string): string => `${key}/exhausted`;

/** Whether a provider may bill the amounts. Steps and time are never billed, so a crash may forget them. */
function isBillable(amounts: Amounts): boolean {
  return Object.entries(amounts).some(
    ([name, amount]) => name !== 'steps' && name !== 'wall_ms' && amount > 0,
  );
}

type PaymentPorts = Pick<StepPorts, 'pool' | 'signal'>;

async function reserve<Value>(
  name: string,
  { smallerRequest, remedy, final = false, waits = true }: StepWork<Value>,
  cost: Amounts | (() => Amounts),
  { pool, signal }: PaymentPorts,
): Promise<Reservation | BudgetEnd | { readonly kind: 'cancelled' }> {
  const amountsOf = typeof cost === 'function' ? cost : () => cost;
  for (let amounts = amountsOf(); ; ) {
    const answer = pool.reserve(name, amounts, { final });
    if (answer.kind === 'reserved') return answer;
    const freed = waits ? pool.whenFreed(answer) : null;
    if (freed !== null) {
      await Promise.race([freed, waitForAbort(signal)]);
      if (signal.aborted) return { kind: 'cancelled' };
      amounts = amountsOf();
      continue;
    }
    const smallerAmounts = (await smallerRequest?.(answer)) ?? null;
    if (signal.aborted) return { kind: 'cancelled' };
    if (smallerAmounts === null) {
      const remedyText = remedy?.(answer) ?? null;
      return remedyText === null ? answer : { ...answer, remedy: remedyText };
    }
    amounts = smallerAmounts;
  }
}

function waitForAbort(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** The maximum delay of a timer, in milliseconds. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * A signal that aborts when the time of the step or of the run is over, and when the run stops, unless `evenIfStopped`.
 */
function createStepSignal<Value>(
  { timeout = Infinity, final = false, evenIfStopped = false }: StepWork<Value>,
  { pool, signal: stop }: PaymentPorts,
): AbortSignal {
  const signal = evenIfStopped ? new AbortController().signal : stop;
  const ms = Math.min(timeout, pool.timeLeft({ final }));
  if (!Number.isFinite(ms)) return signal;
  return AbortSignal.any([signal, AbortSignal.timeout(Math.max(1, Math.min(ms, maxTimerMs)))]);
}
