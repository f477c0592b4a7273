import { type Clock, type LedgerLine, type LedgerRows, resources } from '../../core/index.ts';
import type { Database } from '../database.ts';
import type { Accounts } from '../store.ts';
import { createSharedAccounts } from '../team/shared-accounts.ts';
import { toReservation } from './sqlite-reads.ts';
import { keepReservation, recordAct } from './sqlite-writes.ts';

/** The chain from one account to the root, the account first. */
const chain = `
  WITH RECURSIVE chain (id, parent, depth) AS (
    SELECT id, parent, 0 FROM accounts WHERE id = ?1
    UNION ALL
    SELECT up.id, up.parent, depth + 1 FROM chain JOIN accounts up ON up.id = chain.parent
  )`;

/** The accounts of a database, for every process that has it open: each call is a transaction. */
export function sqliteAccounts(db: Database, mayBeHeld: (run: string) => boolean, clock: Clock): Accounts {
  return createSharedAccounts(createLedgerRows(db), mayBeHeld, ({ by, act }) =>
    recordAct(db, by, act, clock.now()),
  );
}

function createLedgerRows(db: Database): LedgerRows {
  return {
    atomic: db.atomic,

    account(id) {
      const row = db.get('SELECT parent, opened FROM accounts WHERE id = ?', id);
      return row && { parent: row['parent'] as string | null, opened: row['opened'] as string };
    },

    addAccount(id, { parent, opened }, lines) {
      db.run('INSERT INTO accounts (id, parent, opened) VALUES (?, ?, ?)', id, parent, opened);
      for (const { resource, ceiling, kept } of lines) {
        db.run(
          'INSERT INTO balances (account, resource, ceiling, kept) VALUES (?, ?, ?, ?)',
          id,
          resource,
          ceiling,
          kept,
        );
      }
    },

    lines(account) {
      const rows = db.all(
        `${chain} SELECT balances.* FROM chain JOIN balances ON account = chain.id
         ORDER BY depth, instr(?2, resource)`,
        account,
        resources.join(' '),
      );
      return rows as unknown as readonly LedgerLine[];
    },

    setCeiling(account, resource, ceiling) {
      db.run(
        'UPDATE balances SET ceiling = ? WHERE account = ? AND resource = ?',
        ceiling,
        account,
        resource,
      );
    },

    change(account, resource, { held, spent, unknown }, upwards) {
      db.run(
        `${chain} UPDATE balances SET held = held + ?3, spent = spent + ?4, unknown = unknown + ?5
         WHERE resource = ?2 AND account IN (SELECT id FROM chain WHERE ?6 OR depth = 0)`,
        account,
        resource,
        held,
        spent,
        unknown,
        upwards ? 1 : 0,
      );
    },

    reservation(id) {
      const row = db.get('SELECT * FROM reservations WHERE id = ?', id);
      return row && toReservation(row);
    },

    putReservation: (reservation) => keepReservation(db, reservation),

    dropReservation(id) {
      db.run('DELETE FROM reservations WHERE id = ?', id);
    },

    openReservations(run, below) {
      const sql = `SELECT * FROM reservations WHERE run = ? AND fence < ? AND state = 'open' ORDER BY id`;
      return db.all(sql, run, below).map(toReservation);
    },

    fence: (run) => Number(db.get('SELECT fence FROM leases WHERE run = ?', run)?.['fence'] ?? 0),

    setFence(run, fence) {
      db.run(
        `INSERT INTO leases (run, fence) VALUES (?, ?)
         ON CONFLICT (run) DO UPDATE SET fence = excluded.fence WHERE excluded.fence > fence`,
        run,
        fence,
      );
    },
  };
}
