/** Returns to a team what its cancelled runs hold of its budget, by orders of the queue. */
import { isSondeError, messageOf, SondeError } from '../../core/index.ts';
import {
  type Claim,
  jobError,
  type Queue,
  type Settlement,
  type Store,
  type WorkOff,
  workOff,
} from '../../store/index.ts';
import { settleDraw } from '../../store/postgres/index.ts';
import { readLeft, returnOrder, returnTopic } from './queued-run.ts';

interface Ports {
  readonly queue: Queue;
  readonly store: Store;
  readonly tell: (line: string) => void;
}

/** Milliseconds between looks for orders. */
const lookMs = 2_000;
const maxPauseMs = 60_000;

/** `renewMs`: after it a worker knows that its job was cancelled. */
export const returnDraws = (
  ports: Ports & { readonly ready: () => boolean; readonly renewMs: number },
): WorkOff =>
  workOff({
    ...{ queue: ports.queue, topic: returnTopic, slots: 1, lookMs, renewMs: ports.renewMs },
    ...{ ready: ports.ready, tell: ports.tell },
    work: (claim) => carryOut(claim, ports, 2 * ports.renewMs),
  });

async function carryOut({ job }: Claim, ports: Ports, pauseMs: number): Promise<Settlement> {
  const order = returnOrder.safeParse(job.payload);
  if (!order.success)
    return {
      kind: 'failed',
      error: jobError(new SondeError('bad_argument', { message: `${job.key} names no job` })),
    };
  const later = (error: unknown): Settlement => ({
    ...{ kind: 'retry', error: jobError(error) },
    afterMs: Math.min(maxPauseMs, pauseMs * (job.attempts + 1)),
  });
  // A worker that has the job notices first that it was cancelled, and settles what its run has spent.
  if (job.attempts === 0) return later(notYet(job.key));
  try {
    return (await returnDraw(order.data.job, ports)) ? { kind: 'done' } : later(notYet(job.key));
  } catch (thrown) {
    ports.tell(`what job ${job.key} holds of its team’s budget was not returned: ${messageOf(thrown)}`);
    return later(thrown);
  }
}

/** False: its job is open, or somebody works on its run. */
async function returnDraw(id: number, { queue, store }: Ports): Promise<boolean> {
  const job = await queue.find(id);
  if (job === null) return true;
  if (job.state === 'waiting' || job.state === 'running') return false;
  const pool = readLeft(job)?.pool;
  if (pool === undefined || pool.drawn === null) return true;
  if (await isWorkedOn(job.key, store)) return false;
  await settleDraw(store, { run: job.key, team: job.team }, pool);
  return true;
}

async function isWorkedOn(run: string, { runs }: Store): Promise<boolean> {
  try {
    return await runs.isHeld(run);
  } catch (thrown) {
    // Its job drew before the run had begun.
    if (isSondeError(thrown, 'not_found')) return false;
    throw thrown;
  }
}

const notYet = (id: string): SondeError =>
  new SondeError('run_state', {
    message: `Job ${id} may still be worked on`,
    remedy: 'Wait: this is tried again.',
  });
