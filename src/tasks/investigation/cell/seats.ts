/**
 * Limits the number of sandbox sessions that investigations have open, since each takes tens of megabytes. An idle
 * session, which is stored as a checkpoint, is closed for one that needs to run.
 */
import type { RunContext } from '../run-context.ts';

/** Owner of an open session, which can be closed and reopened from its checkpoint. */
export interface Seat {
  park(): Promise<void>;
}

export interface Seats {
  /**
   * Call it before opening a session. It waits for a free place or an idle session, unless the investigation is nested:
   * its caller has a place until it ends, so waiting could deadlock.
   */
  take(nested: boolean): Promise<void>;
  /** Call it when a session is closed. */
  leave(): void;
  idle(seat: Seat): void;
  /** Call it when the investigation runs or has ended: its session must not be closed to make room. */
  busy(seat: Seat): void;
}

export const maxOpen = 8;

const seatsBySandbox = new WeakMap<RunContext['sandbox'], Seats>();

export function seatsOf(sandbox: RunContext['sandbox']): Seats {
  const seats = seatsBySandbox.get(sandbox) ?? openSeats(maxOpen);
  seatsBySandbox.set(sandbox, seats);
  return seats;
}

export function openSeats(max: number): Seats {
  const idle = new Set<Seat>();
  const waiting: (() => void)[] = [];
  let open = 0;

  /** Removes and returns the owner that has been idle longest; null if none is idle. */
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
        else await new Promise<void>((resolve) => waiting.push(resolve));
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
