/** Writes the rows of runs and of the audit. */
import { randomUUID } from 'node:crypto';
import type { LedgerLine, LedgerReservation } from '../../core/index.ts';
import type { Act, Actor } from '../audit.ts';
import type { Database } from '../database.ts';
import type { Write } from '../writes.ts';

/** Must be called within a transaction. */
export function applyWrite(db: Database, write: Write): void {
  switch (write.kind) {
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

function keepSnapshot(db: Database, { run, node, snapshot }: Extract<Write, { kind: 'snapshot' }>): void {
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

/** Adds the row of an act to the audit; none without an actor. Must be called within the transaction of the act. */
export function recordAct(
  db: Database,
  by: Actor | undefined,
  { act, on, result = 'done' }: Act,
  at: number,
): void {
  if (by === undefined) return;
  const sql = 'INSERT INTO audit (id, at, actor, team, act, target, result) VALUES (?, ?, ?, ?, ?, ?, ?)';
  db.run(sql, randomUUID(), at, by.name, by.team, act, on, result);
}
