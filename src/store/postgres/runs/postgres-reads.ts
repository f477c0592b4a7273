/** Statements that select the records of a run, and functions that convert their rows. */
import {
  type LedgerLine,
  type LedgerReservation,
  type LoggedEvent,
  type Resource,
  resources,
} from '../../../core/index.ts';
import type { StoredAccount } from '../../engine.ts';
import type { Row, Statement } from '../database.ts';

export const selectEvents = (run: string, after: number): Statement => ({
  name: 'events',
  text: 'SELECT seq, at, key, event FROM events WHERE run = $1 AND seq > $2 ORDER BY seq',
  values: [run, after],
});

export const selectLastEvent = (run: string): Statement => ({
  name: 'last event',
  text: 'SELECT seq, at, key, event FROM events WHERE run = $1 ORDER BY seq DESC LIMIT 1',
  values: [run],
});

export const toEvents = (rows: readonly Row[]): readonly LoggedEvent[] =>
  rows.map(({ seq, at, key, event }) =>
    Object.freeze({ seq: Number(seq), at: Number(at), key: String(key), event: JSON.parse(String(event)) }),
  );

export const selectRecords = (run: string): Statement => ({
  name: 'records',
  text: 'SELECT key, value FROM journal WHERE run = $1',
  values: [run],
});

export const toRecords = (rows: readonly Row[]): ReadonlyMap<string, string> =>
  new Map(rows.map(({ key, value }) => [String(key), String(value)]));

/** The character after the slash: names that start with the run and a slash sort before it. */
const afterSlash = '0';

/** The account with the name of the run, and those whose names begin with it and a slash; one row for each line. */
export const selectAccounts = (run: string): Statement => ({
  name: 'accounts of a run',
  text: `SELECT id, parent, opened, balances.* FROM accounts LEFT JOIN balances ON account = id
    WHERE id = $1 OR (id > $2 AND id < $3) ORDER BY length(id), id`,
  values: [run, `${run}/`, `${run}${afterSlash}`],
});

export function toAccounts(rows: readonly Row[]): readonly StoredAccount[] {
  const accountsById = new Map<string, { account: StoredAccount['account']; lines: LedgerLine[] }>();
  for (const row of rows) {
    const id = String(row['id']);
    const account = accountsById.get(id) ?? { account: readAccount(row), lines: [] };
    accountsById.set(id, account);
    if (row['resource'] !== null) account.lines.push(readLine(row));
  }
  return [...accountsById].map(([id, { account, lines }]) => ({ id, account, lines: sortLines(lines) }));
}

const readAccount = ({ parent, opened }: Row): StoredAccount['account'] => ({
  parent: parent as string | null,
  opened: String(opened),
});

const sortLines = (lines: readonly LedgerLine[]): readonly LedgerLine[] =>
  lines.toSorted((a, b) => resources.indexOf(a.resource) - resources.indexOf(b.resource));

function readLine({ account, resource, ceiling, kept, spent, held, unknown }: Row): LedgerLine {
  return {
    account: String(account),
    resource: resource as Resource,
    ceiling: ceiling as number | null,
    kept: Number(kept),
    spent: Number(spent),
    held: Number(held),
    unknown: Number(unknown),
  };
}

/** The open reservations under the name of the run. */
export const selectOpenReservations = (run: string): Statement => ({
  name: 'open reservations',
  text: `SELECT * FROM reservations WHERE run = $1 AND state = 'open' ORDER BY id`,
  values: [run],
});

export const toReservations = (rows: readonly Row[]): readonly LedgerReservation[] =>
  rows.map(({ id, run, step, fence, account, asked, spent, state }) => ({
    id: String(id),
    key: { run: String(run), step: String(step), fence: Number(fence) },
    account: String(account),
    asked: JSON.parse(String(asked)),
    state: state as LedgerReservation['state'],
    spent: spent === null ? null : JSON.parse(String(spent)),
  }));

export const selectSnapshot = (run: string, node: string): Statement => ({
  name: 'snapshot',
  text: 'SELECT cells, bytes FROM snapshots WHERE run = $1 AND node = $2',
  values: [run, node],
});
