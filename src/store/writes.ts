/**
 * The writes of a run's worker, as values: collected in memory and handed to the engine together, all or nothing.
 * Each names its row and the row's new state, so that sending it again changes nothing.
 */
import type { LedgerAccount, LedgerLine, LedgerReservation } from '../core/index.ts';
import type { Snapshot } from './store.ts';

export type Write =
  | { readonly do: 'record'; readonly run: string; readonly key: string; readonly value: string }
  | {
      readonly do: 'append';
      readonly run: string;
      readonly seq: number;
      readonly at: number;
      readonly key: string;
      readonly event: string;
    }
  | {
      readonly do: 'snapshot';
      readonly run: string;
      readonly node: string;
      readonly snapshot: Snapshot | null;
    }
  | { readonly do: 'account'; readonly id: string; readonly account: LedgerAccount }
  | { readonly do: 'line'; readonly line: LedgerLine }
  | { readonly do: 'reservation'; readonly reservation: LedgerReservation }
  | { readonly do: 'drop'; readonly reservation: string }
  | { readonly do: 'finish'; readonly run: string; readonly at: number };

/** The row that a write replaces, if only the last of several counts; null if each one does. */
function rowOf(write: Write): string | null {
  switch (write.do) {
    case 'line':
      return `line ${write.line.account} ${write.line.resource}`;
    case 'reservation':
      return `reservation ${write.reservation.id}`;
    case 'drop':
      return `reservation ${write.reservation}`;
    case 'snapshot':
      return `snapshot ${write.run} ${write.node}`;
    default:
      return null;
  }
}

/** In order, without those that a later one replaces. */
export function lastOfEach(writes: readonly Write[]): readonly Write[] {
  const last = new Map<string, number>();
  const rows = writes.map(rowOf);
  rows.forEach((row, at) => {
    if (row !== null) last.set(row, at);
  });
  return writes.filter((_, at) => rows[at] === null || last.get(rows[at] as string) === at);
}
