/**
 * What a run's worker has to keep, as values: collected in memory, handed to the engine at once, all or nothing.
 * Each names its row and says how it is to stand, so that the same writes sent again change nothing.
 */
import type { LedgerAccount, LedgerLine, LedgerReservation } from '../core/index.ts';
import type { Database } from './database.ts';
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

/** The row that a write is about, where only the last of several counts; null where each one does. */
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

/** Without those that a later one replaces, in their order. */
export function lastOfEach(writes: readonly Write[]): readonly Write[] {
  const last = new Map<string, number>();
  const rows = writes.map(rowOf);
  rows.forEach((row, at) => {
    if (row !== null) last.set(row, at);
  });
  return writes.filter((_, at) => rows[at] === null || last.get(rows[at] as string) === at);
}

/** Within a transaction. */
export function applyWrite(db: Database, write: Write): void {
  switch (write.do) {
    case 'record':
      db.run(
        'INSERT INTO journal (run, key, value) VALUES (?, ?, ?) ON CONFLICT (run, key) DO NOTHING',
        write.run,
        write.key,
        write.value,
      );
      return;
    case 'append':
      db.run(
        'INSERT INTO events (run, seq, at, key, event) VALUES (?, ?, ?, ?, ?) ON CONFLICT (run, key) DO NOTHING',
        write.run,
        write.seq,
        write.at,
        write.key,
        write.event,
      );
      return;
    case 'snapshot':
      keepSnapshot(db, write);
      return;
    case 'account':
      db.run(
        'INSERT INTO accounts (id, parent, opened) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING',
        write.id,
        write.account.parent,
        write.account.opened,
      );
      return;
    case 'line':
      keepLine(db, write.line);
      return;
    case 'reservation':
      keepReservation(db, write.reservation);
      return;
    case 'drop':
      db.run('DELETE FROM reservations WHERE id = ?', write.reservation);
      return;
    case 'finish':
      db.run(`UPDATE runs SET status = 'finished', updated = ? WHERE id = ?`, write.at, write.run);
  }
}

function keepSnapshot(db: Database, { run, node, snapshot }: Extract<Write, { do: 'snapshot' }>): void {
  if (snapshot === null) {
    db.run('DELETE FROM snapshots WHERE run = ? AND node = ?', run, node);
    return;
  }
  db.run(
    `INSERT INTO snapshots (run, node, cells, bytes) VALUES (?, ?, ?, ?)
     ON CONFLICT (run, node) DO UPDATE SET cells = excluded.cells, bytes = excluded.bytes`,
    run,
    node,
    snapshot.cells,
    snapshot.bytes,
  );
}

function keepLine(db: Database, line: LedgerLine): void {
  db.run(
    `INSERT INTO balances (account, resource, ceiling, kept, spent, held, unknown) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (account, resource) DO UPDATE SET ceiling = excluded.ceiling, kept = excluded.kept,
       spent = excluded.spent, held = excluded.held, unknown = excluded.unknown`,
    line.account,
    line.resource,
    line.ceiling,
    line.kept,
    line.spent,
    line.held,
    line.unknown,
  );
}

export function keepReservation(
  db: Database,
  { id, key, account, asked, state, spent }: LedgerReservation,
): void {
  db.run(
    `INSERT INTO reservations (id, run, step, fence, account, asked, spent, state)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET spent = excluded.spent, state = excluded.state`,
    id,
    key.run,
    key.step,
    key.fence,
    account,
    JSON.stringify(asked),
    spent && JSON.stringify(spent),
    state,
  );
}
