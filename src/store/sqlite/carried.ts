/**
 * Writes that wait in the outbox are stored in the transaction of the next other write to the database. So a checkpoint of
 * a conversation is never stored without the replies it rests on.
 */
import type { Database } from '../database.ts';
import type { Outbox, RunHold, Waiting } from '../outbox.ts';
import { lastOfEach } from '../writes.ts';
import { applyWrite } from './sqlite-writes.ts';

/** `isHeld` reads the database: whether the hold is still the run's latest, and not released. */
export function carryIn(db: Database, outbox: Outbox, isHeld: (hold: RunHold) => boolean): void {
  /** Writes that were applied in the open transaction. */
  let sent: Waiting[] = [];
  /** How many writes of `sent` were made before the transaction. */
  let before = 0;

  function send(): void {
    const batch = outbox.take();
    for (const hold of new Set(batch.map((each) => each.hold))) if (!isHeld(hold)) hold.ended = true;
    sent.push(...batch);
    const writes = batch.filter(({ hold }) => !hold.ended).map(({ write }) => write);
    for (const write of lastOfEach(writes)) applyWrite(db, write);
  }

  db.carry({
    waits: outbox.waits,
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
      // Writes made in the transaction are undone with it; earlier ones still wait.
      const [earlier, made] = [sent.slice(0, before), sent.slice(before)];
      sent = [];
      outbox.onRolledBack(earlier, made);
    },
  });
}
