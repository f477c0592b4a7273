/**
 * Writes that wait for the next commit. They become durable in the order in which they were made, so a crash loses
 * only the last of them.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { throwLeaseLost } from '../core/pools.ts';
import { requireSync } from './database.ts';
import type { Write } from './writes.ts';

/** A worker's hold on a run: the fence under which it writes. */
export interface RunHold {
  readonly run: string;
  readonly fence: number;
  /** Set once it is known that nothing can be written under it any more. */
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
  /** If `work` throws, its writes are undone, in memory too. */
  atomic<Value>(work: () => Value): Value;
  /** Whether writes can be sent; those of an unfinished `atomic` do not count. */
  hasWaiting(): boolean;
  hasWaitingFor(hold: RunHold): boolean;
  /** Everything to be sent. The caller must report the outcome. */
  take(): readonly WaitingWrite[];
  onKept(taken: readonly WaitingWrite[]): void;
  /** The writes may not have been stored: they are sent again, before later ones. */
  putBack(taken: readonly WaitingWrite[]): void;
  /** `taken` waits again; `undone` and all later writes are undone. */
  onRolledBack(taken: readonly WaitingWrite[], undone: readonly WaitingWrite[]): void;
}

/** `inTransaction`: whether the engine has a transaction open; `atomic` is then a part of it. */
export function openOutbox(inTransaction: () => boolean = () => false): Outbox {
  let waiting: WaitingWrite[] = [];
  /** Index in `waiting` at which the open `atomic` began; null outside one. */
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
 * For an asynchronous engine. One batch is sent at a time; writes made meanwhile are sent with the next, and callers
 * that ask meanwhile wait for that one. `keep` stores a batch as a whole or not at all, and repeating a batch does no
 * harm: if its answer is lost, it is sent again. It returns the holds that were lost; nothing is stored for them.
 * `isMore`: whether the engine has something of its own to send, even if nothing waits here.
 */
export function createBatchSender(
  outbox: Outbox,
  keep: (batch: readonly WaitingWrite[]) => Promise<Iterable<RunHold>>,
  hasOwnWork: () => boolean = () => false,
): () => Promise<void> {
  let isSending = false;
  /** Settles with the batch that was sent or will be sent last. */
  let last: Promise<void> = Promise.resolve();
  /** The batch that is not sent yet; null: nobody has asked for it. */
  let next: Promise<void> | null = null;

  async function sendAfter(before: Promise<void>): Promise<void> {
    const followsAnother = isSending;
    await before.catch(() => {});
    // Callers that waited for the batch before may write more, which joins this batch.
    if (followsAnother) await turn();
    next = null;
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
    if (next !== null) return next;
    last = next = sendAfter(last);
    return next;
  };
}
