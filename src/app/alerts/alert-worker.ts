/** Processes groups: a limited number of investigations at the same time, one for each group, resumed after a crash. */
import { isSondeError, messageOf } from '../../core/index.ts';
import {
  addCrash,
  type Claim,
  isStoreError,
  type Job,
  type JobError,
  judgeDeaths,
  type Queue,
  readDeaths,
  type Settlement,
  toJobError,
  workOff,
} from '../../store/index.ts';
import { type Group, groupTopic, toGroup } from './groups.ts';

/** A group that this process works on. Its run may not be stored yet. */
export interface StartedGroup extends Group {
  readonly run: string;
}

export interface InvestigationPlacing {
  /** True: earlier processes died while they worked on it, so this process should do nothing else meanwhile. */
  readonly alone: boolean;
  readonly signal: AbortSignal;
}

export interface AlertWorkerOptions {
  readonly queue: Queue;
  /** Maximum number of investigations at the same time. */
  readonly workers: number;
  /** Returns the id for a new run. */
  readonly createRunId: () => string;
  /** Stores the run of the group if it is not stored yet. */
  readonly storeRun: (group: StartedGroup) => Promise<void>;
  /**
   * Completes the run. Throws if it failed and can be resumed. If the process of the run died, returns its exit code or
   * signal; otherwise null.
   */
  readonly runToEnd: (run: string, { alone, signal }: InvestigationPlacing) => Promise<string | null>;
  /** Counts the stored events of the run. */
  readonly progress: (run: string) => Promise<number>;
  /**
   * How long to wait after an alert before investigations start, so that a storm of alerts is stored first.
   * Milliseconds; 0 by default.
   */
  readonly settleMs?: number;
  /** Interval between searches for groups that other processes released. Milliseconds. */
  readonly lookMs?: number;
  /** Interval between renewals of a lease. Milliseconds. */
  readonly renewMs?: number;
  /** The wait before the second attempt; the third waits four times as long. Milliseconds. */
  readonly backoffMs?: number;
  /** Prints a line about an investigation that was started, finished or failed. */
  readonly tell: (line: string) => void;
}

export interface AlertWorker {
  /** Starts waiting groups, up to the maximum at the same time. Returns at once. */
  wake(): void;
  /** Resolves when nothing is due and nothing runs. */
  idle(): Promise<void>;
  /**
   * Starts nothing more and waits for running investigations. After `drainMs` milliseconds (default 0) they are
   * cancelled; another process can resume them.
   */
  close(drainMs?: number): Promise<void>;
}

/** After this many failed investigations a group has failed. */
const maxAttempts = 3;

/** Whether another process works on the run. The group is then tried again later. */
const isBusy = (thrown: unknown): boolean =>
  isSondeError(thrown, 'run_state') && thrown.details['pid'] !== undefined;

const toFailure = (error: JobError): Settlement => ({ kind: 'failed', error });

/** Opens the worker. It prints errors of investigations and stores them with the group; they don't end the process. */
export function openAlertWorker(options: AlertWorkerOptions): AlertWorker {
  const { queue, workers, createRunId, storeRun, runToEnd, progress, tell } = options;
  const { settleMs = 0, lookMs = 2_000, backoffMs = 1_000, renewMs } = options;
  let settleTimer: NodeJS.Timeout | undefined;

  async function investigate(claim: Claim, signal: AbortSignal): Promise<Settlement> {
    const { job } = claim;
    const group = toGroup(job);
    const run = group.run ?? createRunId();
    const progressCount = group.run !== null && job.deaths > 0 ? await progress(run) : 0;
    const { kept, isChanged, end } = judgeDeaths(job, readDeaths(job), progressCount);
    if (end !== null)
      return toFailure({
        code: 'tool_failed',
        message: `The investigation was stopped: ${end}.`,
        remedy: 'sonde queue retry tries it again.',
      });
    // The run's id is stored before the run starts, so that after a crash the next worker resumes the same run.
    if (group.run === null || isChanged) await queue.renew(claim, { run, ...kept });
    try {
      await storeRun({ ...group, run });
    } catch (thrown) {
      if (isStoreError(thrown)) return { kind: 'release', afterMs: lookMs };
      tell(`group ${group.id} cannot be investigated: ${messageOf(thrown).slice(0, 200)}`);
      return toFailure(toJobError(thrown));
    }
    tell(`${run} investigates ${group.title.slice(0, 120)}`);
    try {
      const exitReason = await runToEnd(run, { alone: job.deaths > 0, signal });
      if (exitReason !== null && !signal.aborted) {
        tell(`${run}: its process died: ${exitReason}`);
        return { kind: 'died', kept: { run, ...addCrash(kept) } };
      }
      // The investigation was cancelled because this process ends; another one resumes it.
      return { kind: signal.aborted ? 'release' : 'done' };
    } catch (thrown) {
      tell(`${run} failed: ${messageOf(thrown).slice(0, 200)}`);
      return signal.aborted ? { kind: 'release' } : toSettlement(job, thrown);
    }
  }

  function toSettlement({ attempts }: Job, thrown: unknown): Settlement {
    if (isBusy(thrown) || isStoreError(thrown)) return { kind: 'release', afterMs: lookMs };
    const error = toJobError(thrown);
    return attempts + 1 >= maxAttempts
      ? toFailure(error)
      : { kind: 'retry', error, afterMs: backoffMs * 4 ** attempts };
  }

  const queueWorker = workOff({
    queue,
    topic: groupTopic,
    slots: workers,
    // If a process died while several groups were investigated, any of them may be the cause: they are retried one
    // after another.
    careful: true,
    pollMs: lookMs,
    ...(renewMs !== undefined && { renewMs }),
    tell,
    async work(claim, signal) {
      try {
        return await investigate(claim, signal);
      } catch (thrown) {
        // The store could not be written, so the group is tried again later.
        if (isStoreError(thrown)) return { kind: 'release', afterMs: lookMs };
        throw thrown;
      }
    },
  });

  return {
    wake() {
      // Later alerts don't restart the timer: otherwise a long storm would delay its investigation to its end.
      settleTimer ??= setTimeout(() => {
        settleTimer = undefined;
        void queueWorker.take();
      }, settleMs);
    },
    idle: queueWorker.idle,
    close(drainMs) {
      clearTimeout(settleTimer);
      return queueWorker.close(drainMs);
    },
  };
}
