/**
 * Buffers writes until the next commit. They become durable in the order in which they were made, so a crash loses only
 * the last ones.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { throwLeaseLost } from '../core/pools.ts';
import { requireSync } from './database.ts';
import type { Write } from './writes.ts';

/** A worker's hold on a run, with the fence under which it writes. */
export interface RunHold {
  readonly run: string;
  readonly fence: number;
  /** True once nothing can be written under it any more. */
  ended: boolean;
  /** Number of the last stored event. */
  lastStored: number;
}

export interface WaitingWrite {
  readonly hold: RunHold;
  readonly write: Write;
  /** Undoes the write in memory. */
  readonly undo: () => void;
}

export interface Outbox {
  /** Throws `lease_lost` if the hold has ended. */
  add(hold: RunHold, write: Write, undo: () => void): void;
  /** Runs `work`. If it throws, its writes are undone, in memory too. */
  atomic<Value>(work: () => Value): Value;
  /** Whether there are writes to send; those of an unfinished `atomic` don't count. */
  hasWaiting(): boolean;
  hasWaitingFor(hold: RunHold): boolean;
  /** Takes all writes to send. The caller must report the outcome. */
  take(): readonly WaitingWrite[];
  onKept(taken: readonly WaitingWrite[]): void;
  /** For writes that may not be stored: they are sent again, before later ones. */
  putBack(taken: readonly WaitingWrite[]): void;
  /** `taken` waits again; `undone` and all later writes are undone. */
  onRolledBack(taken: readonly WaitingWrite[], undone: readonly WaitingWrite[]): void;
}

/** `inTransaction`: whether the engine has a transaction open; `atomic` is then a part of it. */
export function openOutbox(inTransaction: () => boolean = () => false): Outbox {
  let waiting: WaitingWrite[] = [];
  /** Index in `waiting` of the first write of the open `atomic`; null outside of one. */
  let atomicStart: number | null = null;

  function undo(from: number): void {
    for (const each of waiting.splice(from).reverse()) each.undo();
  }

  return {
    add(hold, write, takeBack) {
      if (hold.ended) throwLeaseLost(hold.run, hold.fence);
      waiting.push({ hold, write, undo: takeBack });
    },
    atomic(work) {
      if (atomicStart !== null || inTransaction()) return work();
      atomicStart = waiting.length;
      try {
        return requireSync(work());
      } catch (error) {
        undo(atomicStart);
        throw error;
      } finally {
        atomicStart = null;
      }
    },
    hasWaiting: () => (atomicStart ?? waiting.length) > 0,
    hasWaitingFor: (hold) => waiting.some((each) => each.hold === hold),
    take() {
      if (waiting.length === 0) return [];
      const taken = atomicStart === null ? waiting : waiting.splice(0, atomicStart);
      if (atomicStart === null) waiting = [];
      else atomicStart = 0;
      return taken;
    },
    onKept(taken) {
      for (const { hold, write } of taken)
        if (write.kind === 'append' && !hold.ended) hold.lastStored = Math.max(hold.lastStored, write.seq);
    },
    putBack(taken) {
      waiting.unshift(...taken);
      if (atomicStart !== null) atomicStart += taken.length;
    },
    onRolledBack(taken, undone) {
      waiting = [...taken, ...undone, ...waiting];
      undo(taken.length);
      if (atomicStart !== null) atomicStart = waiting.length;
    },
  };
}

/**
 * Returns a function that sends the waiting writes, for an asynchronous engine. One batch is sent at a time; calls
 * meanwhile wait for the next batch. `keep` stores a batch as a whole or not at all, must be safe to repeat, and
 * returns the lost holds, for which nothing is stored. `hasOwnWork`: whether the engine has something to send even if
 * no write waits.
 */
export function createBatchSender(
  outbox: Outbox,
  keep: (batch: readonly WaitingWrite[]) => Promise<Iterable<RunHold>>,
  hasOwnWork: () => boolean = () => false,
): () => Promise<void> {
  let isSending = false;
  /** The latest batch, sent or not. */
  let lastBatch: Promise<void> = Promise.resolve();
  /** The next batch, which is not sent yet; null: nobody waits for one. */
  let nextBatch: Promise<void> | null = null;

  async function sendAfter(previousBatch: Promise<void>): Promise<void> {
    const followsAnother = isSending;
    await previousBatch.catch(() => {});
    // Lets callers that waited for the batch before add writes to this one.
    if (followsAnother) await turn();
    nextBatch = null;
    const batch = outbox.take();
    if (batch.length === 0 && !hasOwnWork()) return;
    isSending = true;
    try {
      for (const hold of await keep(batch)) hold.ended = true;
    } catch (thrown) {
      outbox.putBack(batch);
      throw thrown;
    } finally {
      isSending = false;
    }
    outbox.onKept(batch);
  }

  return () => {
    if (nextBatch !== null) return nextBatch;
    lastBatch = nextBatch = sendAfter(lastBatch);
    return nextBatch;
  };
}
