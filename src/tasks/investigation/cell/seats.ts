/**
 * Limits how many sandbox sessions are open for investigations: each takes tens of megabytes. An idle session, stored
 * as a checkpoint, gives its place to one that wants to run.
 */
import type { RunContext } from '../run-context.ts';

/** A holder of a session that can be closed and reopened from its checkpoint. */
export interface Seat {
  park(): Promise<void>;
}

export interface Seats {
  /**
   * Call before opening a session. A nested investigation does not wait, since its caller holds a place until it is
   * done. All others wait if none is idle; running ones always end.
   */
  take(nested: boolean): Promise<void>;
  /** Call it when the session of the investigation is closed. */
  leave(): void;
  idle(one: Seat): void;
  /** Call it when the investigation runs or has ended: its session must not be closed to make room. */
  busy(one: Seat): void;
}

export const maxOpen = 8;

const seatsBySandbox = new WeakMap<RunContext['sandbox'], Seats>();

export function seatsOf(sandbox: RunContext['sandbox']): Seats {
  const found = seatsBySandbox.get(sandbox) ?? openSeats(maxOpen);
  seatsBySandbox.set(sandbox, found);
  return found;
}

export function openSeats(max: number): Seats {
  const idle = new Set<Seat>();
  const waiting: (() => void)[] = [];
  let open = 0;

  /** Null if none is idle. */
  function findLongestIdle(): Seat | null {
    for (const seat of idle) {
      idle.delete(seat);
      return seat;
    }
    return null;
  }

  return {
    async take(nested) {
      while (open >= max) {
        const longestIdle = findLongestIdle();
        if (longestIdle !== null) await longestIdle.park();
        else if (nested) break;
        else await new Promise<void>((next) => waiting.push(next));
      }
      open += 1;
    },
    leave() {
      open -= 1;
      waiting.shift()?.();
    },
    idle(seat) {
      idle.add(seat);
      waiting.shift()?.();
    },
    busy: (seat) => void idle.delete(seat),
  };
}
