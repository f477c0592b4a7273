/** The tables that a store in a file and one on a server have in common, as rows that can be compared. */
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
  /** Columns that are JSON on the server, and plain values in the file. */
  readonly json?: readonly string[];
  /** Converts a row of the file into a row of the server, if the columns differ. */
  readonly toServerRow?: (row: Row) => Row;
  /** Its columns in the file, where they have other names. */
  readonly fileColumns?: readonly string[];
  /** A condition for rows of the server: others are the server's own. */
  readonly serverCondition?: string;
  /** The column that the server numbers; it continues after the moved numbers. */
  readonly counter?: string;
}

/** A table comes after the tables that its rows refer to. */
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
    // The lease `host` is the seat of a workspace's host, and belongs to no run.
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
  { columns, json = [], toServerRow: shown = (as) => as }: MovedTable,
  from: Row,
): Values {
  const row = shown(from);
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

/** Rows in the order of their key, counted and hashed. */
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
