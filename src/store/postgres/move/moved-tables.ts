/** The tables that are moved from a file to a server, and their rows in a form that can be compared. */
import { createHash } from 'node:crypto';
import { newRunColumnNames, serverJsonColumns } from '../../runs/run-columns.ts';
import type { Row } from '../database.ts';
import { movedSessions } from './moved-sessions.ts';

export interface MovedTable {
  readonly name: string;
  /** The columns that identify a row. File and server sort by them in the same order. */
  readonly key: readonly string[];
  /** The columns by name, with their type on the server. */
  readonly columns: Readonly<Record<string, 'text' | 'bigint' | 'bytea'>>;
  /** Columns that are stored as JSON on the server, and as plain text in the file. */
  readonly json?: readonly string[];
  /** Converts a row of the file into a row of the server, if the columns differ. */
  readonly toServerRow?: (row: Row) => Row;
  /** The columns in the file; default: those of the server. */
  readonly fileColumns?: readonly string[];
  /** SQL condition for the compared rows of the server. */
  readonly serverCondition?: string;
  /** The column whose sequence on the server continues after the moved rows. */
  readonly counter?: string;
}

/** Each table comes after those that its rows refer to. */
export const movedTables: readonly MovedTable[] = [
  {
    name: 'runs',
    key: ['id'],
    columns: {
      ...Object.fromEntries(newRunColumnNames.map((name) => [name, 'text'] as const)),
      ...{ status: 'text', created: 'bigint', updated: 'bigint' },
    },
    json: serverJsonColumns,
  },
  {
    name: 'leases',
    key: ['run'],
    columns: { run: 'text', fence: 'bigint' },
    // The lease `host` shows the host of a workspace, and belongs to no run.
    serverCondition: `run <> 'host'`,
  },
  {
    name: 'events',
    key: ['run', 'seq'],
    columns: { run: 'text', seq: 'bigint', at: 'bigint', key: 'text', event: 'text' },
  },
  { name: 'journal', key: ['run', 'key'], columns: { run: 'text', key: 'text', value: 'text' } },
  {
    name: 'snapshots',
    key: ['run', 'node'],
    columns: { run: 'text', node: 'text', cells: 'bigint', bytes: 'bytea' },
  },
  { name: 'accounts', key: ['id'], columns: { id: 'text', parent: 'text', opened: 'text' } },
  {
    name: 'balances',
    key: ['account', 'resource'],
    columns: {
      ...{ account: 'text', resource: 'text', ceiling: 'bigint', kept: 'bigint' },
      ...{ spent: 'bigint', held: 'bigint', unknown: 'bigint' },
    },
  },
  {
    name: 'reservations',
    key: ['id'],
    columns: {
      ...{ id: 'text', run: 'text', step: 'text', fence: 'bigint', account: 'text' },
      ...{ asked: 'text', spent: 'text', state: 'text' },
    },
  },
  ...movedSessions,
];

export type Values = readonly unknown[];

/** The values of a row, as they are on the server. */
export function toValues(
  { columns, json = [], toServerRow = (row) => row }: MovedTable,
  fileRow: Row,
): Values {
  const row = toServerRow(fileRow);
  return Object.keys(columns).map((name) => {
    const value = row[name] ?? null;
    if (value instanceof Uint8Array) return Buffer.from(value);
    return json.includes(name) ? JSON.stringify(value) : value;
  });
}

export const keyOf = ({ key, columns }: MovedTable, values: Values): Values =>
  key.map((name) => values[Object.keys(columns).indexOf(name)]);

export const toLine = (values: Values): string =>
  JSON.stringify(
    values.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value)),
  );

/** Counts and hashes rows, which are added in the order of their keys. */
export function createTally() {
  const hash = createHash('sha256');
  let rows = 0;
  return {
    add(values: Values): void {
      rows += 1;
      hash.update(toLine(values)).update('\n');
    },
    sum: () => ({ rows, hash: hash.digest('hex') }),
  };
}
