/**
 * Stores the writes of the outbox in the transaction of the next other write to the database, so that a checkpoint of a
 * conversation is never stored without the replies that it contains.
 */
import type { Database } from '../database.ts';
import type { Outbox, RunHold, WaitingWrite } from '../outbox.ts';
import { removeReplacedWrites, type Write } from '../writes.ts';
import { applyWrite } from './sqlite-writes.ts';

/** `isHeld`: whether the hold is the run's latest and not released, according to the database. */
export function attachOutbox(db: Database, outbox: Outbox, isHeld: (hold: RunHold) => boolean): void {
  /** Writes that were applied in the open transaction. */
  let appliedWrites: readonly WaitingWrite[] = [];
  /** The number of writes in `appliedWrites` that were made before the transaction. */
  let earlierCount = 0;

  function send(): void {
    const batch = outbox.take();
    if (batch.length === 0) return;
    appliedWrites = appliedWrites.length === 0 ? batch : [...appliedWrites, ...batch];
    const writes: Write[] = [];
    let lastHold: RunHold | undefined;
    for (const { hold, write } of batch) {
      if (hold !== lastHold && !hold.ended && !isHeld(hold)) hold.ended = true;
      if (!hold.ended) writes.push(write);
      lastHold = hold;
    }
    for (const write of removeReplacedWrites(writes)) applyWrite(db, write);
  }

  db.addPendingWrites({
    hasWaiting: outbox.hasWaiting,
    begin() {
      send();
      earlierCount = appliedWrites.length;
    },
    finish: send,
    onCommit() {
      outbox.onKept(appliedWrites);
      appliedWrites = [];
    },
    onRollback() {
      // Writes made in the transaction are undone with it; earlier ones wait again.
      const [earlier, newWrites] = [appliedWrites.slice(0, earlierCount), appliedWrites.slice(earlierCount)];
      appliedWrites = [];
      outbox.onRolledBack(earlier, newWrites);
    },
  });
}
