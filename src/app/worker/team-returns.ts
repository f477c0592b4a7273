/** Returns the unspent budget of cancelled runs to their teams, by jobs of the queue. */
import { isSondeError, messageOf, SondeError } from '../../core/index.ts';
import {
  type Claim,
  type Queue,
  type Settlement,
  type Store,
  toJobError,
  type WorkOff,
  workOff,
} from '../../store/index.ts';
import { settleDraw } from '../../store/postgres/index.ts';
import { readHandover, returnOrder, returnTopic } from './queued-run.ts';

interface Ports {
  readonly queue: Queue;
  readonly store: Store;
  readonly tell: (line: string) => void;
}

/** Interval between searches for jobs. Milliseconds. */
const lookMs = 2_000;
const maxPauseMs = 60_000;

/** `renewMs`: the time after which a worker has noticed that its job was cancelled. */
export const startReturns = (
  ports: Ports & { readonly ready: () => boolean; readonly renewMs: number },
): WorkOff =>
  workOff({
    ...{ queue: ports.queue, topic: returnTopic, slots: 1, pollMs: lookMs, renewMs: ports.renewMs },
    ...{ ready: ports.ready, tell: ports.tell },
    work: (claim) => returnBudget(claim, ports, 2 * ports.renewMs),
  });

async function returnBudget({ job }: Claim, ports: Ports, pauseMs: number): Promise<Settlement> {
  const order = returnOrder.safeParse(job.payload);
  if (!order.success)
    return {
      kind: 'failed',
      error: toJobError(new SondeError('bad_argument', { message: `${job.key} names no job` })),
    };
  const retryLater = (error: unknown): Settlement => ({
    ...{ kind: 'retry', error: toJobError(error) },
    afterMs: Math.min(maxPauseMs, pauseMs * (job.attempts + 1)),
  });
  // The first attempt is delayed, so that a worker that runs the job can notice the cancel and return the budget itself.
  if (job.attempts === 0) return retryLater(stillRunningError(job.key));
  try {
    return (await tryReturnDraw(order.data.job, ports))
      ? { kind: 'done' }
      : retryLater(stillRunningError(job.key));
  } catch (thrown) {
    ports.tell(`the budget of job ${job.key} was not returned to its team: ${messageOf(thrown)}`);
    return retryLater(thrown);
  }
}

/** False if the job is still open, or a process works on its run. */
async function tryReturnDraw(id: number, { queue, store }: Ports): Promise<boolean> {
  const job = await queue.find(id);
  if (job === null) return true;
  if (job.state === 'waiting' || job.state === 'running') return false;
  const pool = readHandover(job)?.pool;
  if (pool === undefined || pool.drawn === null) return true;
  if (await isWorkedOn(job.key, store)) return false;
  await settleDraw(store, { run: job.key, team: job.team }, pool);
  return true;
}

async function isWorkedOn(run: string, { runs }: Store): Promise<boolean> {
  try {
    return await runs.isHeld(run);
  } catch (thrown) {
    // The process died after drawing budget and before storing its run.
    if (isSondeError(thrown, 'not_found')) return false;
    throw thrown;
  }
}

const stillRunningError = (id: string): SondeError =>
  new SondeError('run_state', {
    message: `Job ${id} may still be running`,
    remedy: 'Wait: this is tried again.',
  });
