/**
 * A store moved from a file to a server. The file is only read. What is there already stays, so that a move that was
 * broken off goes on, and comes to the same rows.
 */
import { SondeError } from '../../core/index.ts';
import { type Holder, lifeOf } from '../holder.ts';
import { openReadOnly, type ReadOnlyDatabase, sqliteState } from '../sqlite/read-only.ts';
import type { PostgresOptions } from './connection.ts';
import { openPostgres, type PostgresDatabase, type Statement } from './database.ts';
import { movedAlerts } from './moved-sessions.ts';
import { keyOf, lineOf, type MovedTable, movedTables, tally, type Values, valuesOf } from './moved-tables.ts';

export interface MovedRows {
  readonly rows: number;
  /** SHA-256 over all rows in the order of their key. */
  readonly hash: string;
}

export interface TableMove {
  readonly table: string;
  readonly source: MovedRows;
  readonly target: MovedRows;
}

export interface StoreMove {
  readonly from: string;
  readonly to: string;
  readonly tables: readonly TableMove[];
  /** Tables of the file with rows that stay where they are. */
  readonly left: readonly { readonly table: string; readonly rows: number }[];
}

/** Rows, and characters, of one batch at most. */
const batchRows = 500;
const batchLength = 4_000_000;

export interface MoveOptions {
  /** Nothing is written. */
  readonly look?: boolean;
  /** The file of the alerts, which lies beside that of the runs. */
  readonly alerts?: string;
}

/** A file, and what of it is moved. */
interface Part {
  readonly source: ReadOnlyDatabase;
  readonly tables: readonly MovedTable[];
}

/**
 * Throws `run_state` while somebody works on a run or a group of the files, `store_version` for a file that an older Sonde
 * wrote last, and `store_unusable` for a server that holds rows that the files have not.
 */
export async function moveStore(
  file: string,
  options: PostgresOptions,
  { look = false, alerts }: MoveOptions = {},
): Promise<StoreMove> {
  const { pending } = sqliteState(file);
  if (pending.length > 0) throw outOfDate(file);
  const source = openReadOnly(file);
  const beside = alerts === undefined ? null : openReadOnly(alerts);
  // A batch of large rows may take longer than a step.
  const target = openPostgres({ answerMs: 60_000, ...options });
  try {
    refuseRunning(source);
    if (beside !== null) refuseInvestigated(beside);
    const parts = [
      partOf(source, movedTables),
      ...(beside === null ? [] : [partOf(beside, tablesBeside(source, beside))]),
    ];
    const all = parts.flatMap(({ source: from, tables }) => tables.map((table) => ({ from, table })));
    for (const { from, table } of all) await refuseOthers(from, target, table);
    const tables: TableMove[] = [];
    for (const { from, table } of all) {
      if (!look) {
        for (const rows of batches(from, table)) await target.ask(insertion(table, rows));
        if (table.counter !== undefined) await target.ask(countOn(table.name, table.counter));
      }
      tables.push({ table: table.name, source: sumOf(from, table), target: await sumOn(target, table) });
    }
    return { from: file, to: target.path, tables, left: parts.flatMap(countLeft) };
  } finally {
    source.close();
    beside?.close();
    await target.close();
  }
}

const partOf = (source: ReadOnlyDatabase, tables: readonly MovedTable[]): Part => ({
  source,
  tables: tables.filter((table) => table.optional !== true || isIn(source, table)),
});

/** Throws `store_unusable` if both files number jobs of their own. */
function tablesBeside(source: ReadOnlyDatabase, beside: ReadOnlyDatabase): readonly MovedTable[] {
  const hasJobs = movedAlerts.some((table) => table.name === 'queue_jobs' && isIn(source, table));
  if (!hasJobs) return movedAlerts;
  throw new SondeError('store_unusable', {
    message: `${source.path} has jobs, as the alerts in ${beside.path} have, under the same numbers`,
    remedy: 'Move each of them into a database of its own.',
  });
}

/** A group that a process of this or another machine is at. */
function refuseInvestigated(source: ReadOnlyDatabase): void {
  for (const row of source.each(`SELECT id, holder, expires FROM queue_jobs WHERE state = 'running'`)) {
    const holder = row['holder'] === null ? null : (JSON.parse(String(row['holder'])) as Holder);
    if (holder === null || Number(row['expires']) < Date.now() || lifeOf(holder) === 'dead') continue;
    throw new SondeError('run_state', {
      message: `Process ${holder.pid} investigates the group of alerts ${row['id']}`,
      remedy: 'End sonde serve, and try again.',
      details: { group: row['id'], pid: holder.pid },
    });
  }
}

export const isMoved = ({ tables }: StoreMove): boolean =>
  tables.every(({ source, target }) => source.hash === target.hash);

function refuseRunning(source: ReadOnlyDatabase): void {
  for (const row of source.each(
    'SELECT run, host, pid, started FROM leases WHERE host IS NOT NULL AND expires > ?',
    Date.now(),
  )) {
    const holder = { host: String(row['host']), pid: Number(row['pid']), started: String(row['started']) };
    if (lifeOf(holder) === 'dead') continue;
    throw new SondeError('run_state', {
      message: `Process ${holder.pid} is working on ${row['run']}`,
      remedy: 'Wait for it to end, or end it, and try again.',
      details: { run: row['run'], pid: holder.pid },
    });
  }
}

async function refuseOthers(
  source: ReadOnlyDatabase,
  target: PostgresDatabase,
  table: MovedTable,
): Promise<void> {
  const own = `SELECT * FROM ${table.name} WHERE ${table.key.map((name) => `"${name}" = ?`).join(' AND ')}`;
  for await (const values of rowsOn(target, table)) {
    const key = keyOf(table, values);
    const row = source.get(own, ...(key as string[]));
    if (row !== undefined && lineOf(valuesOf(table, row)) === lineOf(values)) continue;
    throw new SondeError('store_unusable', {
      message: `The store at ${target.path} holds rows that ${source.path} has not: ${table.name} ${key.join(' ')}`,
      remedy: 'Move into an empty database, or one in which the same move was broken off.',
      details: { table: table.name, key },
    });
  }
}

/** Throws `store_version` for a table that an older Sonde has made. */
function isIn(
  source: ReadOnlyDatabase,
  { name, columns, inFile = Object.keys(columns) }: MovedTable,
): boolean {
  const there = [...source.each('SELECT name FROM pragma_table_info(?)', name)].map((row) => row['name']);
  if (there.length === 0) return false;
  if (inFile.every((column) => there.includes(column))) return true;
  throw outOfDate(source.path);
}

const outOfDate = (file: string): SondeError =>
  new SondeError('store_version', {
    message: `${file} waits to be brought up to date`,
    remedy:
      'Open it with this Sonde first: SONDE_STORE=sqlite sonde runs, or sonde world check for a workspace.',
  });

const countOn = (table: string, column: string): Statement => ({
  name: `count on ${table}`,
  text: `SELECT setval(pg_get_serial_sequence('${table}', '${column}'), (SELECT coalesce(max(${column}), 1) FROM ${table}))`,
  values: [],
});

const columnList = ({ columns }: MovedTable): string =>
  Object.keys(columns)
    .map((name) => `"${name}"`)
    .join(', ');
const selection = (table: MovedTable): string => `SELECT ${columnList(table)} FROM ${table.name}`;
const order = ({ key }: MovedTable): string => key.map((name) => `"${name}"`).join(', ');

function* rowsIn(source: ReadOnlyDatabase, table: MovedTable): Iterable<Values> {
  for (const row of source.each(`SELECT * FROM ${table.name} ORDER BY ${order(table)}`))
    yield valuesOf(table, row);
}

function* batches(source: ReadOnlyDatabase, table: MovedTable): Iterable<readonly Values[]> {
  let [batch, length]: [Values[], number] = [[], 0];
  for (const values of rowsIn(source, table)) {
    batch.push(values);
    length += lengthOf(values);
    if (batch.length < batchRows && length < batchLength) continue;
    yield batch;
    [batch, length] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

const lengthOf = (values: Values): number =>
  values.reduce<number>(
    (sum, value) => sum + ((value as { readonly length?: number } | null)?.length ?? 8),
    0,
  );

function insertion(table: MovedTable, rows: readonly Values[]) {
  const types = Object.values(table.columns);
  const arrays = types.map((type, at) => `$${at + 1}::${type}[]`).join(', ');
  return {
    name: `move ${table.name}`,
    text: `INSERT INTO ${table.name} (${columnList(table)}) SELECT * FROM unnest(${arrays}) ON CONFLICT DO NOTHING`,
    values: types.map((_, at) => rows.map((values) => values[at])),
  };
}

async function* rowsOn(target: PostgresDatabase, table: MovedTable): AsyncIterable<Values> {
  let after: Values | null = null;
  for (;;) {
    const keys = table.key.map((_, at) => `$${at + 1}`).join(', ');
    const rows: readonly Values[] = (
      await target.ask({
        name: `${after === null ? 'first' : 'next'} of ${table.name}`,
        text: `${selection(table)} ${after === null ? '' : `WHERE (${order(table)}) > (${keys})`}
          ORDER BY ${order(table)} LIMIT ${batchRows}`,
        values: after ?? [],
      })
    ).map((row) => valuesOf({ name: table.name, key: table.key, columns: table.columns }, row));
    yield* rows;
    if (rows.length < batchRows) return;
    after = keyOf(table, rows.at(-1)!);
  }
}

function sumOf(source: ReadOnlyDatabase, table: MovedTable): MovedRows {
  const all = tally();
  for (const values of rowsIn(source, table)) all.add(values);
  return all.sum();
}

async function sumOn(target: PostgresDatabase, table: MovedTable): Promise<MovedRows> {
  const all = tally();
  for await (const values of rowsOn(target, table)) all.add(values);
  return all.sum();
}

function countLeft({ source, tables }: Part): StoreMove['left'] {
  const moved = new Set(['versions', ...tables.map(({ name }) => name)]);
  const names = [
    ...source.each(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name`,
    ),
  ].map(({ name }) => String(name));
  return names
    .filter((name) => !moved.has(name))
    .map((table) => ({ table, rows: Number(source.get(`SELECT count(*) AS n FROM "${table}"`)!['n']) }))
    .filter(({ rows }) => rows > 0);
}
