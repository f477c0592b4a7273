/**
 * Works off one topic of a queue: so many jobs at once, their leases renewed while they are worked on, each brought to
 * the end that the work says. Nothing that the work does can end its process.
 */
import { isSondeError, messageOf } from '../../core/index.ts';
import type { Claim, Job, JobError, Queue, Settlement } from './queue.ts';

export interface WorkOffOptions {
  readonly queue: Queue;
  readonly topic: string;
  /** Most jobs at once. */
  readonly slots: number;
  /** As in `Queue.claim`. */
  readonly careful?: boolean;
  /** Nothing is taken while this is false. */
  readonly ready?: () => boolean;
  /** The signal: the claim is lost, or this worker is closed. What is thrown is the job's failure. */
  readonly work: (claim: Claim, signal: AbortSignal) => Promise<Settlement>;
  /** How a claim ended; null: it was lost, and what its work came to counts nothing. */
  readonly onEnded?: (job: Job | null, claim: Claim) => void;
  /** Milliseconds between looks for due jobs, and for those that others left; absent: never. */
  readonly lookMs?: number;
  /** A third of a lease, so that it can fail twice. Milliseconds. */
  readonly renewMs?: number;
  /** The caller's wish to stop, as `close`. */
  readonly signal?: AbortSignal;
  readonly tell: (line: string) => void;
}

/** How a claim of this worker ended. */
export type End = Settlement['kind'] | 'lost';

export interface WorkOff {
  /**
   * Takes as many jobs as there is room for, and resolves once they are taken, with promises of their ends.
   * Never rejects.
   */
  take(): Promise<readonly Promise<End>[]>;
  /** Resolves when nothing is due and nothing is worked on. */
  idle(): Promise<void>;
  /** Takes nothing more, and waits for what it was at to end. */
  close(): Promise<void>;
}

/** Before what could not be written down is tried again. Milliseconds. */
const retryMs = 1_000;
const maxMessageLength = 500;

export const jobError = (thrown: unknown): JobError => ({
  code: isSondeError(thrown) ? thrown.code : 'internal',
  message: messageOf(thrown).slice(0, maxMessageLength),
  ...(isSondeError(thrown) && thrown.remedy !== undefined && { remedy: thrown.remedy }),
});

/** No job is to blame for it: it may go better later. */
export const isStoreTrouble = (thrown: unknown): boolean =>
  isSondeError(thrown) && thrown.code.startsWith('store_');

export function workOff(options: WorkOffOptions): WorkOff {
  const { queue, topic, slots, careful = false, ready = () => true, work, tell } = options;
  const { onEnded: ended = () => {}, lookMs, renewMs = 10_000 } = options;
  const closed = new AbortController();
  const stop =
    options.signal === undefined ? closed.signal : AbortSignal.any([closed.signal, options.signal]);
  const running = new Map<
    number,
    { readonly claim: Claim; readonly lost: AbortController; readonly end: Promise<End> }
  >();
  let renewing: NodeJS.Timeout | undefined;
  let before: Promise<unknown> = Promise.resolve();
  const looking = lookMs === undefined ? undefined : setInterval(() => void take(), lookMs);

  async function renewAll(): Promise<void> {
    await Promise.all(
      [...running.values()].map(async ({ claim, lost }) => {
        try {
          await queue.renew(claim);
        } catch (thrown) {
          // What can't be written now may be written next time, before the lease ends.
          if (isStoreTrouble(thrown)) tell(`a lease was not renewed: ${messageOf(thrown)}`);
          else lost.abort(thrown);
        }
      }),
    );
  }

  /** Again until it is written, or is not this worker's to write. */
  async function settle(claim: Claim, settlement: Settlement): Promise<Job | null> {
    for (;;) {
      try {
        return await queue.settle(claim, settlement);
      } catch (thrown) {
        tell(`how ${claim.job.key} ended could not be written down: ${messageOf(thrown)}`);
        if (!isStoreTrouble(thrown) || stop.aborted) return null;
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }

  async function workOn(claim: Claim, lost: AbortSignal): Promise<End> {
    let settlement: Settlement;
    try {
      settlement = await work(claim, AbortSignal.any([stop, lost]));
    } catch (thrown) {
      settlement = { kind: 'failed', error: jobError(thrown) };
    }
    const job = lost.aborted ? null : await settle(claim, settlement);
    running.delete(claim.job.id);
    if (running.size === 0) clearInterval(renewing);
    try {
      ended(job, claim);
    } catch (thrown) {
      tell(`${claim.job.key}: ${messageOf(thrown)}`);
    }
    return job === null ? 'lost' : settlement.kind;
  }

  function begin(claim: Claim): Promise<End> {
    if (running.size === 0) renewing = setInterval(() => void renewAll(), renewMs);
    const lost = new AbortController();
    // Not before it is among those that are worked on.
    const end = Promise.resolve().then(() => workOn(claim, lost.signal));
    running.set(claim.job.id, { claim, lost, end });
    end.finally(() => {
      // For jobs that waited for a slot or for their turn.
      if (lookMs !== undefined) void take();
    });
    return end;
  }

  async function takeNow(): Promise<readonly Promise<End>[]> {
    const max = slots - running.size;
    if (stop.aborted || max <= 0 || !ready()) return [];
    return (await queue.claim({ topic, max, careful })).map(begin);
  }

  function take(): Promise<readonly Promise<End>[]> {
    const taken = before.then(takeNow).catch((thrown: unknown) => {
      tell(`${topic}: nothing can be taken now: ${messageOf(thrown).slice(0, 200)}`);
      return [];
    });
    before = taken;
    return taken;
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
    async close() {
      closed.abort();
      clearInterval(looking);
      await before;
      await Promise.all([...running.values()].map(({ end }) => end));
    },
  };
}
