/**
 * Works off one topic of a queue: several jobs at once, with renewed leases. `work` decides how each job ends; an
 * exception of `work` does not end the process.
 */
import { isSondeError, messageOf } from '../../core/index.ts';
import type { Claim, Job, JobError, Queue, Settlement } from './queue.ts';

export interface WorkOffOptions {
  readonly queue: Queue;
  readonly topic: string;
  /** Maximum of jobs at once. */
  readonly slots: number;
  /** Of the jobs that were lost before, only one runs at a time, as in `Queue.claim`. */
  readonly careful?: boolean;
  /** The needs of jobs that this worker can meet, as in `Queue.claim`; absent: all. */
  readonly offers?: readonly string[];
  /** No job is claimed while this returns false. */
  readonly ready?: () => boolean;
  /** `signal`: the claim is lost, or this worker closes. An exception is the job's failure. */
  readonly work: (claim: Claim, signal: AbortSignal) => Promise<Settlement>;
  /** Called when a claim ended; null: it was lost, and its result does not count. */
  readonly onEnded?: (job: Job | null, claim: Claim) => void;
  /** Milliseconds between checks for due jobs and for abandoned ones; absent: never. */
  readonly pollMs?: number;
  /** Milliseconds between renewals: a third of a lease, so that two may fail. */
  readonly renewMs?: number;
  /** Aborted by a caller that wants to stop: no more jobs are claimed, and the current work is asked to end. */
  readonly signal?: AbortSignal;
  readonly tell: (line: string) => void;
}

/** How a claim of this worker ended. */
export type ClaimEnd = Settlement['kind'] | 'lost';

export interface WorkOff {
  /**
   * Claims as many jobs as there is room for, and resolves once they are claimed, with promises of their ends. Never
   * rejects.
   */
  take(): Promise<readonly Promise<ClaimEnd>[]>;
  /** Resolves when nothing is due and nothing is worked on. */
  idle(): Promise<void>;
  /**
   * Claims nothing more, and waits until the current work has ended. The work is asked to end after `drainMs`
   * milliseconds; without `drainMs` at once.
   */
  close(drainMs?: number): Promise<void>;
}

/** Milliseconds before a failed write is tried again. */
const retryMs = 1_000;
const maxMessageLength = 500;

export const toJobError = (thrown: unknown): JobError => ({
  code: isSondeError(thrown) ? thrown.code : 'internal',
  message: messageOf(thrown).slice(0, maxMessageLength),
  ...(isSondeError(thrown) && thrown.remedy !== undefined && { remedy: thrown.remedy }),
});

/** Whether the store failed, and not the job: a later try may succeed. */
export const isStoreError = (thrown: unknown): boolean =>
  isSondeError(thrown) && thrown.code.startsWith('store_');

export function workOff(options: WorkOffOptions): WorkOff {
  const { queue, topic, slots, careful = false, offers, ready = () => true, work, tell } = options;
  const { onEnded: ended = () => {}, pollMs, renewMs = 10_000 } = options;
  const closed = new AbortController();
  const stop =
    options.signal === undefined ? closed.signal : AbortSignal.any([closed.signal, options.signal]);
  const running = new Map<
    number,
    { readonly claim: Claim; readonly lost: AbortController; readonly end: Promise<ClaimEnd> }
  >();
  /** How many slots are taken: the end of a job is written down without one. */
  let working = 0;
  let isPollScheduled = false;
  let isDraining = false;
  let renewTimer: NodeJS.Timeout | undefined;
  let before: Promise<unknown> = Promise.resolve();
  /** The claim that waits for the one before it; null: nobody has asked for it. */
  let next: Promise<readonly Promise<ClaimEnd>[]> | null = null;
  const pollTimer = pollMs === undefined ? undefined : setInterval(() => void take(), pollMs);

  async function renewAll(): Promise<void> {
    await Promise.all(
      [...running.values()].map(async ({ claim, lost }) => {
        try {
          await queue.renew(claim);
        } catch (thrown) {
          // A failed renewal can succeed next time, before the lease ends.
          if (isStoreError(thrown)) tell(`a lease was not renewed: ${messageOf(thrown)}`);
          else lost.abort(thrown);
        }
      }),
    );
  }

  /** Tries until the end is stored. Gives up on any error but trouble of the store, and once this worker stops. */
  async function settle(claim: Claim, settlement: Settlement): Promise<Job | null> {
    for (;;) {
      try {
        return await queue.settle(claim, settlement);
      } catch (thrown) {
        tell(`how ${claim.job.key} ended could not be written down: ${messageOf(thrown)}`);
        if (!isStoreError(thrown) || stop.aborted) return null;
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }

  async function workOn(claim: Claim, lost: AbortSignal): Promise<ClaimEnd> {
    let settlement: Settlement;
    try {
      settlement = await work(claim, AbortSignal.any([stop, lost]));
    } catch (thrown) {
      settlement = { kind: 'failed', error: toJobError(thrown) };
    }
    working -= 1;
    schedulePoll();
    const job = lost.aborted ? null : await settle(claim, settlement);
    running.delete(claim.job.id);
    if (running.size === 0) clearInterval(renewTimer);
    try {
      ended(job, claim);
    } catch (thrown) {
      tell(`${claim.job.key}: ${messageOf(thrown)}`);
    }
    return job === null ? 'lost' : settlement.kind;
  }

  function begin(claim: Claim): Promise<ClaimEnd> {
    if (running.size === 0) renewTimer = setInterval(() => void renewAll(), renewMs);
    working += 1;
    const lost = new AbortController();
    // Starts only after the job is registered as running.
    const end = Promise.resolve().then(() => workOn(claim, lost.signal));
    running.set(claim.job.id, { claim, lost, end });
    // A job may have waited for its turn.
    end.finally(schedulePoll);
    return end;
  }

  /** Looks once for all that end together. */
  function schedulePoll(): void {
    if (pollMs === undefined || isPollScheduled) return;
    isPollScheduled = true;
    setImmediate(() => {
      isPollScheduled = false;
      void take();
    });
  }

  async function takeNow(): Promise<readonly Promise<ClaimEnd>[]> {
    const max = slots - working;
    if (stop.aborted || isDraining || max <= 0 || !ready()) return [];
    return (await queue.claim({ topic, max, careful, ...(offers && { offers }) })).map(begin);
  }

  /** One claim at a time. All who ask meanwhile wait for the one behind it. */
  function take(): Promise<readonly Promise<ClaimEnd>[]> {
    const claimNow = (): ReturnType<typeof takeNow> => {
      next = null;
      return takeNow();
    };
    next ??= before.then(claimNow, claimNow).catch((thrown: unknown) => {
      tell(`${topic}: nothing can be taken now: ${messageOf(thrown).slice(0, 200)}`);
      return [];
    });
    before = next;
    return next;
  }

  return {
    take,
    async idle() {
      for (;;) {
        await take();
        if (running.size === 0) return;
        await Promise.race([...running.values()].map(({ end }) => end));
      }
    },
    async close(drainMs = 0) {
      isDraining = true;
      await before;
      const late = setTimeout(() => closed.abort(), drainMs);
      if (drainMs > 0) await Promise.all([...running.values()].map(({ end }) => end));
      clearTimeout(late);
      closed.abort();
      clearInterval(pollTimer);
      await before;
      await Promise.all([...running.values()].map(({ end }) => end));
    },
  };
}
