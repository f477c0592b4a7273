/**
 * The accounts that belong to no run, with optimistic concurrency. The ledger that all engines share decides each
 * operation in memory. Its result is stored if no other process has changed the rows meanwhile; otherwise the operation
 * is decided again.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger, LedgerRows } from '../../../core/index.ts';
import { createLedgerTables, ledgerFromRows, memoryRows, reservationId } from '../../../core/pools.ts';
import type { Accounts } from '../../store.ts';
import { guardRows } from '../../team/shared-accounts.ts';
import type { Write } from '../../writes.ts';
import type { PostgresDatabase, Row, Statement } from '../database.ts';
import { writerVersion } from '../schema/schema.ts';
import { raisedCodes } from '../store-errors.ts';
import { recordAct } from '../team/postgres-audit.ts';
import type { PostgresLeases } from './postgres-leases.ts';
import { toAccounts, toReservations } from './postgres-reads.ts';
import { keepWrites } from './statements.ts';

/** The rows that an operation needs: these accounts, those of the reservations, and all their ancestors. */
interface AccountFilter {
  readonly accounts?: readonly string[];
  readonly reservations?: readonly string[];
  readonly run?: string;
  /** The open reservations of the run with a lower fence. */
  readonly below?: number;
}

interface LedgerView {
  readonly rows: LedgerRows;
  /** By account; 0: no decision was stored yet. */
  readonly versions: ReadonlyMap<string, number>;
  rootOf(account: string): string;
}

export function postgresAccounts(
  db: PostgresDatabase,
  { mayBeHeld }: Pick<PostgresLeases, 'mayBeHeld'>,
): Accounts {
  /** Operations of this process run one after another, so that only other processes can interfere. */
  let lastDecision: Promise<unknown> = Promise.resolve();

  function decide<Value>(
    filter: AccountFilter,
    operation: (ledger: Ledger) => Value,
    extraStatements: readonly Statement[] = [],
  ): Promise<Value> {
    const decision = lastDecision.then(() => decideUntilKept(filter, operation, extraStatements));
    lastDecision = decision.catch(() => {});
    return decision;
  }

  async function decideUntilKept<Value>(
    filter: AccountFilter,
    operation: (ledger: Ledger) => Value,
    extraStatements: readonly Statement[],
  ): Promise<Value> {
    for (let pauseMs = 1; ; pauseMs = Math.min(100, pauseMs * 2)) {
      const ledgerView = await readView(db, filter, mayBeHeld);
      const writes: Write[] = [];
      const changedAccounts = new Set<string>();
      const fences: (readonly [run: string, fence: number])[] = [];
      const value = operation(ledgerFromRows(recordWrites(ledgerView.rows, writes, changedAccounts, fences)));
      if (writes.length === 0 && fences.length === 0) return value;
      const roots = [...new Set([...changedAccounts].map(ledgerView.rootOf))];
      if (await keep(roots, ledgerView, writes, fences, extraStatements)) return value;
      await sleep(pauseMs * Math.random());
    }
  }

  /** Stores a decision. False if another process has changed these accounts meanwhile. */
  async function keep(
    roots: readonly string[],
    { versions }: LedgerView,
    writes: readonly Write[],
    fences: readonly (readonly [run: string, fence: number])[],
    extraStatements: readonly Statement[],
  ): Promise<boolean> {
    let isStored = true;
    const statements = [
      {
        name: 'take roots',
        text: 'SELECT take_roots($1::text[], $2::bigint[], $3::uuid, $4)',
        values: [roots, roots.map((root) => versions.get(root) ?? 0), randomUUID(), writerVersion],
      },
      ...fences.map(([run, fence]) => ({
        name: 'set a fence',
        text: `INSERT INTO leases AS l (run, fence) VALUES ($1, $2)
          ON CONFLICT (run) DO UPDATE SET fence = excluded.fence WHERE excluded.fence > l.fence`,
        values: [run, fence],
      })),
      ...keepWrites(writes),
      ...extraStatements,
    ];
    try {
      await db.transact(statements, (code) => {
        if (code === raisedCodes.decidedMeanwhile) isStored = false;
      });
    } catch (thrown) {
      const code = (thrown as { code?: unknown }).code;
      if (code !== raisedCodes.decidedMeanwhile && code !== raisedCodes.keptBefore) throw thrown;
    }
    return isStored;
  }

  return Object.freeze({
    open: (account) =>
      decide({ accounts: account.parent === null ? [account.id] : [account.id, account.parent] }, (ledger) =>
        ledger.open(account),
      ),
    relimit: (account, limits, acted) =>
      decide(
        { accounts: [account] },
        (ledger) => ledger.relimit(account, limits),
        acted === undefined ? [] : recordAct(acted.by, acted.act),
      ),
    reserve: (request) =>
      decide(
        { accounts: [request.account], reservations: [reservationId(request.key)], run: request.key.run },
        (ledger) => ledger.reserve(request),
      ),
    settle: (id, actual) => decide({ reservations: [id] }, (ledger) => ledger.settle(id, actual)),
    release: (id) => decide({ reservations: [id] }, (ledger) => ledger.release(id)),
    charge: (account, amounts) =>
      decide({ accounts: [account] }, (ledger) => ledger.charge(account, amounts)),
    balance: async (account) =>
      ledgerFromRows((await readView(db, { accounts: [account] }, mayBeHeld)).rows).balance(account),
    recover: (run, fence) => decide({ run, below: fence }, (ledger) => ledger.recover(run, fence)),
  } satisfies Accounts);
}

/** Reads the versions first: if another row changes during the later reads, `keep` finds a newer version. */
async function readView(
  db: PostgresDatabase,
  { accounts = [], reservations = [], run, below }: AccountFilter,
  mayBeHeld: (lease: Row | undefined) => boolean,
): Promise<LedgerView> {
  const values = [accounts, reservations, run ?? null, below ?? 0];
  const about = `
    WITH RECURSIVE mine AS (
      SELECT * FROM reservations WHERE id = ANY ($2::text[]) OR (run = $3 AND fence < $4 AND state = 'open')
    ), ids (id) AS (
      SELECT unnest($1::text[]) UNION SELECT account FROM mine
      UNION SELECT accounts.parent FROM ids JOIN accounts ON accounts.id = ids.id WHERE accounts.parent IS NOT NULL
    )`;
  const [roots, lines, reservationRows, fences] = await db.transact([
    {
      name: 'roots',
      text: `${about} SELECT ids.id, version, host, pid, started
        FROM ids LEFT JOIN account_roots ON root = ids.id LEFT JOIN leases ON leases.run = ids.id`,
      values,
    },
    {
      name: 'lines',
      text: `${about} SELECT accounts.id, parent, opened, balances.* FROM ids JOIN accounts ON accounts.id = ids.id
        LEFT JOIN balances ON account = accounts.id`,
      values,
    },
    {
      name: 'reservations',
      text: `SELECT * FROM reservations WHERE id = ANY ($1::text[]) OR (run = $2 AND fence < $3 AND state = 'open')
        ORDER BY id`,
      values: values.slice(1),
    },
    { name: 'fence', text: 'SELECT run, fence FROM leases WHERE run = $1', values: [run ?? null] },
  ]);
  const tables = createLedgerTables();
  for (const { id, account, lines: accountLines } of toAccounts(lines!)) {
    tables.accounts.set(id, account);
    tables.lines.set(id, accountLines);
  }
  for (const reservation of toReservations(reservationRows!))
    tables.reservations.set(reservation.id, reservation);
  for (const row of fences!) tables.fences.set(String(row['run']), Number(row['fence']));
  const leases = new Map(roots!.map((row) => [String(row['id']), row]));
  return {
    rows: guardRows(memoryRows(tables), (root) => mayBeHeld(leases.get(root))),
    versions: new Map(roots!.map(({ id, version }) => [String(id), Number(version ?? 0)])),
    rootOf(account) {
      let root = account;
      for (
        let current: string | null = account;
        current !== null;
        current = tables.accounts.get(current)?.parent ?? null
      )
        root = current;
      return root;
    },
  };
}

/** Wraps ledger rows: each change is also recorded as a write with the new state of the row. */
function recordWrites(
  rows: LedgerRows,
  writes: Write[],
  changedAccounts: Set<string>,
  fences: (readonly [run: string, fence: number])[],
): LedgerRows {
  const recordLines = (account: string): void => {
    changedAccounts.add(account);
    for (const line of rows.lines(account)) writes.push({ kind: 'line', line });
  };
  return {
    ...rows,
    addAccount(id, account, lines) {
      rows.addAccount(id, account, lines);
      changedAccounts.add(id);
      writes.push({ kind: 'account', id, account });
      recordLines(id);
    },
    setCeiling(account, resource, ceiling) {
      rows.setCeiling(account, resource, ceiling);
      recordLines(account);
    },
    change(account, resource, change, upwards) {
      rows.change(account, resource, change, upwards);
      recordLines(account);
    },
    putReservation(reservation) {
      rows.putReservation(reservation);
      changedAccounts.add(reservation.account);
      writes.push({ kind: 'reservation', reservation });
    },
    dropReservation(id) {
      const removed = rows.reservation(id);
      if (removed !== undefined) changedAccounts.add(removed.account);
      rows.dropReservation(id);
      writes.push({ kind: 'drop', reservation: id });
    },
    setFence(run, fence) {
      if (rows.fence(run) < fence) fences.push([run, fence]);
      rows.setFence(run, fence);
    },
  };
}
