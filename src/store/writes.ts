/**
 * The writes of a run's worker, as values. They are buffered and sent to the engine together. Each has the new state of
 * its row, so that sending it again changes nothing.
 */
import type { LedgerAccount, LedgerLine, LedgerReservation } from '../core/index.ts';
import type { Snapshot } from './store.ts';

export type Write =
  | { readonly kind: 'record'; readonly run: string; readonly key: string; readonly value: string }
  | {
      readonly kind: 'append';
      readonly run: string;
      readonly seq: number;
      readonly at: number;
      readonly key: string;
      readonly event: string;
    }
  | {
      readonly kind: 'snapshot';
      readonly run: string;
      readonly node: string;
      readonly snapshot: Snapshot | null;
    }
  | { readonly kind: 'account'; readonly id: string; readonly account: LedgerAccount }
  | { readonly kind: 'line'; readonly line: LedgerLine }
  | { readonly kind: 'reservation'; readonly reservation: LedgerReservation }
  | { readonly kind: 'drop'; readonly reservation: string }
  | { readonly kind: 'finish'; readonly run: string; readonly at: number };

/** A key for the row that a write replaces; null if the write adds a row, so that it is never replaced. */
function findReplacedRow(write: Write): string | null {
  switch (write.kind) {
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

/** Leaves out each write that a later one replaces. Keeps the order. */
export function removeReplacedWrites(writes: readonly Write[]): readonly Write[] {
  if (writes.length < 2) return writes;
  const lastIndexes = new Map<string, number>();
  const rows = writes.map(findReplacedRow);
  rows.forEach((row, index) => {
    if (row !== null) lastIndexes.set(row, index);
  });
  return writes.filter(
    (_, index) => rows[index] === null || lastIndexes.get(rows[index] as string) === index,
  );
}
