/** Works groups off: a limited number of investigations at once, one for each group, taken up again after a crash. */
import { isSondeError, messageOf } from '../../core/index.ts';
import {
  type Claim,
  isStoreTrouble,
  type Job,
  type JobError,
  jobError,
  type Queue,
  type Settlement,
  workOff,
} from '../../store/index.ts';
import { type Group, groupOf, groupTopic } from './groups.ts';

/** One that this process is at. Its run may not be written down yet. */
export interface Begun extends Group {
  readonly run: string;
}

export interface AlertWorkerOptions {
  readonly queue: Queue;
  /** Most investigations at once. */
  readonly workers: number;
  /** An id for a run. */
  readonly newRun: () => string;
  /** Writes the group's run down where that has not happened yet. */
  readonly create: (group: Begun) => Promise<void>;
  /** Carries the run to its end. Throws where it failed and can be taken up again. */
  readonly work: (run: string, signal: AbortSignal) => Promise<void>;
  /** How long to wait after an alert before anything starts, so that a storm is kept first. Milliseconds; 0 by default. */
  readonly settleMs?: number;
  /** How often to look for what other processes left, or had wait again. Milliseconds. */
  readonly lookMs?: number;
  /** Between renewals of a lease. Milliseconds. */
  readonly renewMs?: number;
  /** Before the second attempt; four times as long before the third. Milliseconds. */
  readonly backoffMs?: number;
  /** For people: what was started, finished, failed. */
  readonly tell: (line: string) => void;
}

export interface AlertWorker {
  /** Something may be waiting: starts what there is room for. Returns at once. */
  wake(): void;
  /** Resolves when nothing is due and nothing runs. */
  idle(): Promise<void>;
  /**
   * Starts nothing more, and waits for running investigations; after so many milliseconds (0 by default) they end with what
   * they have.
   */
  close(drainMs?: number): Promise<void>;
}

/** A group whose investigation failed so often, or whose process died so often, is left, and counted. */
const maxAttempts = 3;
const maxDeaths = 5;

/** Another process works on the run: the group is looked at again when that is over. */
const isBusy = (thrown: unknown): boolean =>
  isSondeError(thrown, 'run_state') && thrown.details['pid'] !== undefined;

const fail = (error: JobError): Settlement => ({ kind: 'failed', error });

/** Nothing that it is called with can end its process: what goes wrong with a group is told, and kept with it. */
export function openAlertWorker(options: AlertWorkerOptions): AlertWorker {
  const { queue, workers, newRun, create, work, tell } = options;
  const { settleMs = 0, lookMs = 2_000, backoffMs = 1_000, renewMs } = options;
  let settling: NodeJS.Timeout | undefined;

  async function investigate(claim: Claim, signal: AbortSignal): Promise<Settlement> {
    const { job } = claim;
    if (job.deaths > maxDeaths)
      return fail({
        code: 'tool_failed',
        message: `Its process died ${job.deaths} times while it was investigated.`,
      });
    const group = groupOf(job);
    const run = group.run ?? newRun();
    // Kept before it begins: after a crash the next worker goes on with the same run.
    if (group.run === null) await queue.renew(claim, { run });
    try {
      await create({ ...group, run });
    } catch (thrown) {
      if (isStoreTrouble(thrown)) return { kind: 'release', afterMs: lookMs };
      tell(`group ${group.id} cannot be investigated: ${messageOf(thrown).slice(0, 200)}`);
      return fail(jobError(thrown));
    }
    tell(`${run} investigates ${group.title.slice(0, 120)}`);
    try {
      await work(run, signal);
      // Cancelled by the end of the program: the next one takes it up.
      return { kind: signal.aborted ? 'release' : 'done' };
    } catch (thrown) {
      tell(`${run} failed: ${messageOf(thrown).slice(0, 200)}`);
      return signal.aborted ? { kind: 'release' } : after(job, thrown);
    }
  }

  function after({ attempts }: Job, thrown: unknown): Settlement {
    if (isBusy(thrown) || isStoreTrouble(thrown)) return { kind: 'release', afterMs: lookMs };
    const error = jobError(thrown);
    return attempts + 1 >= maxAttempts
      ? fail(error)
      : { kind: 'retry', error, afterMs: backoffMs * 4 ** attempts };
  }

  const worker = workOff({
    queue,
    topic: groupTopic,
    slots: workers,
    // Where a process died over several groups, one of them may be to blame: they are taken up one after
    // another.
    careful: true,
    lookMs,
    ...(renewMs !== undefined && { renewMs }),
    tell,
    async work(claim, signal) {
      try {
        return await investigate(claim, signal);
      } catch (thrown) {
        // Its run could not be kept.
        if (isStoreTrouble(thrown)) return { kind: 'release', afterMs: lookMs };
        throw thrown;
      }
    },
  });

  return {
    wake() {
      // Further alerts do not put it off again: a storm that goes on is investigated, too.
      settling ??= setTimeout(() => {
        settling = undefined;
        void worker.take();
      }, settleMs);
    },
    idle: worker.idle,
    close(drainMs) {
      clearTimeout(settling);
      return worker.close(drainMs);
    },
  };
}
