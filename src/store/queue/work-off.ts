/**
 * Works off one topic of a queue: runs several jobs at once, and renews their leases. `work` returns how each job ends;
 * an exception of `work` fails its job.
 */
import { isSondeError, messageOf } from '../../core/index.ts';
import type { Claim, Job, JobError, Queue, Settlement } from './queue.ts';

export interface WorkOffOptions {
  readonly queue: Queue;
  readonly topic: string;
  /** Maximum number of jobs at once. */
  readonly slots: number;
  /** See `ClaimRequest.careful`. */
  readonly careful?: boolean;
  /** See `ClaimRequest.offers`. */
  readonly offers?: readonly string[];
  /** No job is claimed while this returns false. */
  readonly ready?: () => boolean;
  /** Does the work. `signal` aborts if the claim is lost or this worker stops. An exception fails the job. */
  readonly work: (claim: Claim, signal: AbortSignal) => Promise<Settlement>;
  /** Called when a claim has ended. `job` null: the claim was lost, and its result is dropped. */
  readonly onEnded?: (job: Job | null, claim: Claim) => void;
  /** Milliseconds between claims of due and lost jobs; absent: no polling. */
  readonly pollMs?: number;
  /** Milliseconds between renewals; a third of a lease, so that two may fail. */
  readonly renewMs?: number;
  /** Stops the worker: no more jobs are claimed, and the signals of current work abort. */
  readonly signal?: AbortSignal;
  readonly tell: (line: string) => void;
}

/** How a claim of this worker ended. */
export type ClaimEnd = Settlement['kind'] | 'lost';

export interface WorkOff {
  /** Claims jobs for all free slots, and resolves with a promise for the end of each. Never rejects. */
  take(): Promise<readonly Promise<ClaimEnd>[]>;
  /** Resolves when no job is due and none runs. */
  idle(): Promise<void>;
  /**
   * Claims no more jobs, and waits until the current work has ended. Its signals abort after `drainMs` milliseconds;
   * default 0.
   */
  close(drainMs?: number): Promise<void>;
}

/** Milliseconds before a failed settlement is sent again. */
const retryMs = 1_000;
const maxMessageLength = 500;

export const toJobError = (thrown: unknown): JobError => ({
  code: isSondeError(thrown) ? thrown.code : 'internal',
  message: messageOf(thrown).slice(0, maxMessageLength),
  ...(isSondeError(thrown) && thrown.remedy !== undefined && { remedy: thrown.remedy }),
});

/** Whether the store failed, and not the job: a retry may succeed. */
export const isStoreError = (thrown: unknown): boolean =>
  isSondeError(thrown) && thrown.code.startsWith('store_');

export function workOff(options: WorkOffOptions): WorkOff {
  const { queue, topic, slots, careful = false, offers, ready = () => true, work, tell } = options;
  const { onEnded = () => {}, pollMs, renewMs = 10_000 } = options;
  const closing = new AbortController();
  const stopSignal =
    options.signal === undefined ? closing.signal : AbortSignal.any([closing.signal, options.signal]);
  const running = new Map<
    number,
    { readonly claim: Claim; readonly lost: AbortController; readonly end: Promise<ClaimEnd> }
  >();
  /** The number of occupied slots. A slot is free once its work has ended, before the end is stored. */
  let occupiedSlots = 0;
  let isPollScheduled = false;
  let isDraining = false;
  let renewTimer: NodeJS.Timeout | undefined;
  let lastClaim: Promise<unknown> = Promise.resolve();
  /** The next claim, which waits for the present one; null: nobody waits for one. */
  let nextClaim: Promise<readonly Promise<ClaimEnd>[]> | null = null;
  const pollTimer = pollMs === undefined ? undefined : setInterval(() => void take(), pollMs);

  async function renewAll(): Promise<void> {
    await Promise.all(
      [...running.values()].map(async ({ claim, lost }) => {
        try {
          await queue.renew(claim);
        } catch (thrown) {
          // The next renewal may succeed before the lease expires.
          if (isStoreError(thrown)) tell(`a lease was not renewed: ${messageOf(thrown)}`);
          else lost.abort(thrown);
        }
      }),
    );
  }

  /** Stores how a claim ended. Retries while the store fails, until this worker stops. Null: it was not stored. */
  async function settle(claim: Claim, settlement: Settlement): Promise<Job | null> {
    for (;;) {
      try {
        return await queue.settle(claim, settlement);
      } catch (thrown) {
        tell(`the end of ${claim.job.key} could not be stored: ${messageOf(thrown)}`);
        if (!isStoreError(thrown) || stopSignal.aborted) return null;
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }

  async function workOn(claim: Claim, lost: AbortSignal): Promise<ClaimEnd> {
    let settlement: Settlement;
    try {
      settlement = await work(claim, AbortSignal.any([stopSignal, lost]));
    } catch (thrown) {
      settlement = { kind: 'failed', error: toJobError(thrown) };
    }
    occupiedSlots -= 1;
    schedulePoll();
    const job = lost.aborted ? null : await settle(claim, settlement);
    running.delete(claim.job.id);
    if (running.size === 0) clearInterval(renewTimer);
    try {
      onEnded(job, claim);
    } catch (thrown) {
      tell(`${claim.job.key}: ${messageOf(thrown)}`);
    }
    return job === null ? 'lost' : settlement.kind;
  }

  function begin(claim: Claim): Promise<ClaimEnd> {
    if (running.size === 0) renewTimer = setInterval(() => void renewAll(), renewMs);
    occupiedSlots += 1;
    const lost = new AbortController();
    // The work starts after the job is registered in `running`.
    const end = Promise.resolve().then(() => workOn(claim, lost.signal));
    running.set(claim.job.id, { claim, lost, end });
    // The next job of the same group can run now.
    end.finally(schedulePoll);
    return end;
  }

  /** Schedules one claim for all jobs that end in the same turn of the event loop. */
  function schedulePoll(): void {
    if (pollMs === undefined || isPollScheduled) return;
    isPollScheduled = true;
    setImmediate(() => {
      isPollScheduled = false;
      void take();
    });
  }

  async function takeNow(): Promise<readonly Promise<ClaimEnd>[]> {
    const max = slots - occupiedSlots;
    if (stopSignal.aborted || isDraining || max <= 0 || !ready()) return [];
    return (await queue.claim({ topic, max, careful, ...(offers && { offers }) })).map(begin);
  }

  /** Runs one claim at a time. Calls meanwhile share the next claim. */
  function take(): Promise<readonly Promise<ClaimEnd>[]> {
    const claimNow = (): ReturnType<typeof takeNow> => {
      nextClaim = null;
      return takeNow();
    };
    nextClaim ??= lastClaim.then(claimNow, claimNow).catch((thrown: unknown) => {
      tell(`${topic}: no job can be claimed now: ${messageOf(thrown).slice(0, 200)}`);
      return [];
    });
    lastClaim = nextClaim;
    return nextClaim;
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
      await lastClaim;
      const abortTimer = setTimeout(() => closing.abort(), drainMs);
      if (drainMs > 0) await Promise.all([...running.values()].map(({ end }) => end));
      clearTimeout(abortTimer);
      closing.abort();
      clearInterval(pollTimer);
      await lastClaim;
      await Promise.all([...running.values()].map(({ end }) => end));
    },
  };
}
