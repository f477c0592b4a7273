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
  let sent: readonly WaitingWrite[] = [];
  /** The number of writes in `sent` that were made before the transaction. */
  let before = 0;

  function send(): void {
    const batch = outbox.take();
    if (batch.length === 0) return;
    sent = sent.length === 0 ? batch : [...sent, ...batch];
    const writes: Write[] = [];
    let last: RunHold | undefined;
    for (const { hold, write } of batch) {
      if (hold !== last && !hold.ended && !isHeld(hold)) hold.ended = true;
      if (!hold.ended) writes.push(write);
      last = hold;
    }
    for (const write of removeReplacedWrites(writes)) applyWrite(db, write);
  }

  db.addPendingWrites({
    hasWaiting: outbox.hasWaiting,
    begin() {
      send();
      before = sent.length;
    },
    finish: send,
    onCommit() {
      outbox.onKept(sent);
      sent = [];
    },
    onRollback() {
      // Writes made in the transaction are undone with it; earlier ones wait again.
      const [earlier, made] = [sent.slice(0, before), sent.slice(before)];
      sent = [];
      outbox.onRolledBack(earlier, made);
    },
  });
}
