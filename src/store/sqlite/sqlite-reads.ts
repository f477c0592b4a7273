/** Reads the stored rows of a run. */
import type { LedgerLine, LedgerReservation, LoggedEvent } from '../../core/index.ts';
import { resources } from '../../core/index.ts';
import type { Database, Row } from '../database.ts';
import type { StoredAccount } from '../engine.ts';
import type { Snapshot } from '../store.ts';

export function readEvents(db: Database, run: string, after = 0): readonly LoggedEvent[] {
  return db
    .all('SELECT seq, at, key, event FROM events WHERE run = ? AND seq > ? ORDER BY seq', run, after)
    .map(toEvent);
}

export function readLastEvent(db: Database, run: string): LoggedEvent | null {
  const sql = 'SELECT seq, at, key, event FROM events WHERE run = ? ORDER BY seq DESC LIMIT 1';
  const row = db.get(sql, run);
  return row === undefined ? null : toEvent(row);
}

const toEvent = ({ seq, at, key, event }: Row): LoggedEvent =>
  Object.freeze({
    seq: Number(seq),
    at: Number(at),
    key: String(key),
    event: JSON.parse(String(event)),
  });

export function readRecords(db: Database, run: string): ReadonlyMap<string, string> {
  const rows = db.all('SELECT key, value FROM journal WHERE run = ?', run);
  return new Map(rows.map(({ key, value }) => [String(key), String(value)]));
}

export function readSnapshot(db: Database, run: string, node: string): Snapshot | null {
  const row = db.get('SELECT cells, bytes FROM snapshots WHERE run = ? AND node = ?', run, node);
  if (row === undefined) return null;
  return Object.freeze({ cells: Number(row['cells']), bytes: row['bytes'] as Uint8Array });
}

/** The character after the slash: names that start with the run and a slash sort before it. */
const afterSlash = '0';

/** The account with the name of the run, and those whose names begin with it and a slash. */
export function readAccounts(db: Database, run: string): readonly StoredAccount[] {
  const rows = db.all(
    `SELECT id, parent, opened FROM accounts WHERE id = ?1 OR (id > ?2 AND id < ?3) ORDER BY length(id), id`,
    run,
    `${run}/`,
    `${run}${afterSlash}`,
  );
  return rows.map(({ id, parent, opened }) => ({
    id: String(id),
    account: { parent: parent as string | null, opened: String(opened) },
    lines: db.all(
      'SELECT * FROM balances WHERE account = ? ORDER BY instr(?, resource)',
      String(id),
      resources.join(' '),
    ) as unknown as readonly LedgerLine[],
  }));
}

/** The open reservations under the name of the run. */
export function readOpenReservations(db: Database, run: string): readonly LedgerReservation[] {
  return db
    .all(`SELECT * FROM reservations WHERE run = ? AND state = 'open' ORDER BY id`, run)
    .map(toReservation);
}

export function toReservation(row: Row): LedgerReservation {
  const { id, run, step, fence, account, asked, spent, state } = row as Record<string, string>;
  return {
    id: id!,
    key: { run: run!, step: step!, fence: Number(fence) },
    account: account!,
    asked: JSON.parse(asked!),
    state: state as LedgerReservation['state'],
    spent: spent ? JSON.parse(spent) : null,
  };
}
