/**
 * Writes that wait for the next commit. They become durable in the order in which they were made: whatever else is
 * written to the database takes along what waits, so that a crash loses the last of them and never one between.
 */
import { leaseLost } from '../core/index.ts';
import { type Carried, type Database, notAPromise } from './database.ts';
import { applyWrite, lastOfEach, type Write } from './writes.ts';

/** A worker's hold on a run: what it may write under. */
export interface Hold {
  readonly run: string;
  readonly fence: number;
  /** Set once it is known that nothing can be written under it any more. */
  ended: boolean;
}

export interface Collected {
  /** `undo` takes the write back from what is in memory. Throws `lease_lost` where the hold has ended. */
  add(hold: Hold, write: Write, undo: () => void): void;
  /** What fails half way leaves nothing, in memory neither. Within a transaction of the database it is a part of that. */
  atomic<Value>(work: () => Value): Value;
  /** Keeps all that waits, of every run. Throws `lease_lost` where the hold has ended. */
  commit(hold: Hold): void;
  /** The same, for whoever holds nothing. */
  flush(): void;
  /** Something that others write, too, belongs to what is kept here: from now on `atomic` is a transaction. */
  share(): void;
  sharing(): boolean;
}

interface Waiting {
  readonly hold: Hold;
  readonly write: Write;
  readonly undo: () => void;
}

/** `isHeld` reads the database: is the hold still the run's latest, and not given back? */
export function collectedIn(db: Database, isHeld: (hold: Hold) => boolean): Collected {
  let waiting: Waiting[] = [];
  /** Applied in the transaction that is under way. */
  let sent: Waiting[] = [];
  /** Where in `waiting` an `atomic` began; null outside of one. */
  let begun: number | null = null;
  /** How many of `sent` were made before the transaction began. */
  let before = 0;
  let sharing = false;

  function send(): void {
    const batch = waiting.splice(0, begun ?? waiting.length);
    if (begun !== null) begun = 0;
    for (const hold of new Set(batch.map((each) => each.hold))) if (!isHeld(hold)) hold.ended = true;
    sent.push(...batch);
    const kept = batch.filter(({ hold }) => !hold.ended).map(({ write }) => write);
    for (const write of lastOfEach(kept)) applyWrite(db, write);
  }

  function undo(from: number): void {
    for (const each of waiting.splice(from).reverse()) each.undo();
  }

  const carried: Carried = {
    waits: () => (begun ?? waiting.length) > 0,
    begin() {
      send();
      before = sent.length;
    },
    finish: send,
    committed() {
      sent = [];
    },
    rolledBack() {
      // What was made in the transaction is undone with it; what came before still waits.
      const made = [...sent.slice(before), ...waiting];
      waiting = [...sent.slice(0, before), ...made];
      sent = [];
      undo(waiting.length - made.length);
      if (begun !== null) begun = waiting.length;
    },
  };
  db.carry(carried);

  function flush(): void {
    if (carried.waits() && !db.inTransaction()) db.atomic(() => {});
  }

  return {
    add(hold, write, takeBack) {
      if (hold.ended) leaseLost(hold.run, hold.fence);
      waiting.push({ hold, write, undo: takeBack });
    },
    share() {
      sharing = true;
    },
    sharing: () => sharing,
    atomic(work) {
      if (sharing) return db.atomic(work);
      if (begun !== null || db.inTransaction()) return work();
      begun = waiting.length;
      try {
        return notAPromise(work());
      } catch (error) {
        undo(begun);
        throw error;
      } finally {
        begun = null;
      }
    },
    flush,
    commit(hold) {
      const writes = waiting.some((each) => each.hold === hold);
      flush();
      if (!writes && !isHeld(hold)) hold.ended = true;
      if (hold.ended) leaseLost(hold.run, hold.fence);
    },
  };
}
