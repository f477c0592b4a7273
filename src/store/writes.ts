/**
 * The writes of a run's worker, as values: collected in memory and handed to the engine together, all or nothing.
 * Each names its row and the row's new state, so that sending it again changes nothing.
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

/** The row that a write sets, if only the last write to this row counts; null if every write counts. */
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

/** The writes in order, without those that a later write replaces. */
export function removeReplacedWrites(writes: readonly Write[]): readonly Write[] {
  if (writes.length < 2) return writes;
  const last = new Map<string, number>();
  const rows = writes.map(findReplacedRow);
  rows.forEach((row, at) => {
    if (row !== null) last.set(row, at);
  });
  return writes.filter((_, at) => rows[at] === null || last.get(rows[at] as string) === at);
}
