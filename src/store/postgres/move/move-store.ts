/**
 * Moves stores from files to a server, each into its own schema. The files are only read. Rows that are already on the
 * server stay, so that an interrupted move can be continued.
 */

import { SondeError } from '../../../core/index.ts';
import { openReadOnly, type ReadOnlyDatabase } from '../../sqlite/read-only.ts';
import { type PostgresOptions, serverName } from '../connection.ts';
import { openPostgres, type PostgresDatabase, type Row, type Statement } from '../database.ts';
import { readSchemaState } from '../schema/migrate.ts';
import {
  hasCurrentTable,
  refuseHosted,
  refuseOutOfDate,
  refuseTwoQueues,
  refuseWorkers,
} from './move-checks.ts';
import { movedAlerts } from './moved-sessions.ts';
import {
  createTally,
  keyOf,
  type MovedTable,
  movedTables,
  toLine,
  toValues,
  type Values,
} from './moved-tables.ts';

export interface MovedRows {
  readonly rows: number;
  /** SHA-256 of all rows in the order of their keys. */
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
  /** Tables that were not moved, with the number of their rows. */
  readonly left: readonly { readonly table: string; readonly rows: number }[];
}

/** Maximum rows and characters of one batch. */
const maxBatchRows = 500;
const maxBatchLength = 4_000_000;

/** The files that go into one schema. */
export interface StoreFiles {
  /** The file of runs, or of a workspace. */
  readonly file: string;
  /** Default `sonde`. */
  readonly schema?: string;
  /** The file of the alerts, which lies beside that of the runs. */
  readonly alerts?: string;
  /** Prefixes of tables that don't belong to a store: they are not reported as `left`. */
  readonly foreignPrefixes?: readonly string[];
}

export interface MoveOptions {
  /** Compares, and writes nothing. */
  readonly compareOnly?: boolean;
}

/** A file, and those of its tables that are moved. */
interface MoveSource {
  readonly source: ReadOnlyDatabase;
  readonly tables: readonly MovedTable[];
  readonly foreignPrefixes: readonly string[];
}

/** The open files and the target of one move. */
interface OpenMove {
  readonly file: string;
  /** The server, for operators. */
  readonly to: string;
  readonly parts: readonly MoveSource[];
  readonly target: PostgresDatabase;
}

/**
 * Moves all stores; every check is made before anything is written. Throws `run_state` while a process works on a run
 * or a job of the files, or hosts a workspace that is moved; `store_version` if an older Sonde wrote a file;
 * `store_unusable` if the server has rows that the files don't have.
 */
export async function moveStores(
  all: readonly StoreFiles[],
  options: PostgresOptions,
  { compareOnly = false }: MoveOptions = {},
): Promise<readonly StoreMove[]> {
  const closing: (() => unknown)[] = [];
  const read = (path: string): ReadOnlyDatabase => {
    refuseOutOfDate(path);
    const source = openReadOnly(path);
    closing.push(() => source.close());
    refuseWorkers(source);
    return source;
  };
  try {
    const openMoves: OpenMove[] = [];
    for (const { file, alerts, foreignPrefixes = [], schema } of all) {
      const source = read(file);
      const alertsSource = alerts === undefined ? null : read(alerts);
      if (alertsSource !== null) refuseTwoQueues(source, alertsSource);
      const targetOptions = { ...options, ...(schema !== undefined && { schema }) };
      // A batch of large rows may take longer than other statements.
      const target =
        compareOnly && (await readSchemaState(targetOptions)).version === 0
          ? emptyDatabase
          : openPostgres({ answerMs: 60_000, ...targetOptions });
      closing.push(() => target.close());
      const parts = [
        createSource(source, movedTables, foreignPrefixes),
        ...(alertsSource === null ? [] : [createSource(alertsSource, movedAlerts, [])]),
      ];
      if (foreignPrefixes.length === 0 && parts[0]?.tables.length === 0) throw noStoreError(file);
      openMoves.push({ file, to: serverName(options.url), parts, target });
    }
    for (const { parts, target } of openMoves) {
      await refuseHosted(target);
      for (const { source, tables } of parts)
        for (const table of tables) await refuseOtherRows(source, target, table);
    }
    const moves: StoreMove[] = [];
    for (const openMove of openMoves) moves.push(await move(openMove, compareOnly));
    return moves;
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

async function move({ file, to, parts, target }: OpenMove, compareOnly: boolean): Promise<StoreMove> {
  const tables: TableMove[] = [];
  for (const part of parts)
    for (const table of part.tables) {
      if (!compareOnly) {
        for (const rows of readBatches(part.source, table)) await target.ask(buildInsert(table, rows));
        if (table.counter !== undefined) await target.ask(setCounter(table.name, table.counter));
      }
      tables.push({
        table: table.name,
        source: hashFileRows(part.source, table),
        target: await hashServerRows(target, table),
      });
    }
  return { from: file, to, tables, left: parts.flatMap(countLeft) };
}

/** Stands for a schema that doesn't exist, so that comparing creates none. */
const emptyDatabase: PostgresDatabase = {
  path: 'the store',
  transact: async (statements) => statements.map((): readonly Row[] => []),
  ask: async () => [],
  close: async () => {},
};

const noStoreError = (file: string): SondeError =>
  new SondeError('store_unusable', {
    message: `${file} holds no runs and no conversations`,
    remedy: 'Name the file of a store, or of a workspace.',
  });

const createSource = (
  source: ReadOnlyDatabase,
  tables: readonly MovedTable[],
  foreignPrefixes: readonly string[],
): MoveSource => ({
  source,
  tables: tables.filter((table) => hasCurrentTable(source, table)),
  foreignPrefixes,
});

export const isMoved = ({ tables }: StoreMove): boolean =>
  tables.every(({ source, target }) => source.hash === target.hash);

async function refuseOtherRows(
  source: ReadOnlyDatabase,
  target: PostgresDatabase,
  table: MovedTable,
): Promise<void> {
  const own = `SELECT * FROM ${table.name} WHERE ${table.key.map((name) => `"${name}" = ?`).join(' AND ')}`;
  for await (const values of readServerRows(target, table)) {
    const key = keyOf(table, values);
    const row = source.get(own, ...(key as string[]));
    if (row !== undefined && toLine(toValues(table, row)) === toLine(values)) continue;
    throw new SondeError('store_unusable', {
      message: `The target store contains rows that ${source.path} does not have: ${table.name} ${key.join(' ')}`,
      remedy: 'Move into an empty database, or one in which the same move was interrupted.',
      details: { table: table.name, key },
    });
  }
}

const setCounter = (table: string, column: string): Statement => ({
  name: `count on ${table}`,
  text: `SELECT setval(pg_get_serial_sequence('${table}', '${column}'), (SELECT coalesce(max(${column}), 1) FROM ${table}))`,
  values: [],
});

const listColumns = ({ columns }: MovedTable): string =>
  Object.keys(columns)
    .map((name) => `"${name}"`)
    .join(', ');
const buildSelect = (table: MovedTable): string => `SELECT ${listColumns(table)} FROM ${table.name}`;
const listKey = ({ key }: MovedTable): string => key.map((name) => `"${name}"`).join(', ');

function* readFileRows(source: ReadOnlyDatabase, table: MovedTable): Iterable<Values> {
  for (const row of source.each(`SELECT * FROM ${table.name} ORDER BY ${listKey(table)}`))
    yield toValues(table, row);
}

function* readBatches(source: ReadOnlyDatabase, table: MovedTable): Iterable<readonly Values[]> {
  let [batch, length]: [Values[], number] = [[], 0];
  for (const values of readFileRows(source, table)) {
    batch.push(values);
    length += lengthOf(values);
    if (batch.length < maxBatchRows && length < maxBatchLength) continue;
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

function buildInsert(table: MovedTable, rows: readonly Values[]) {
  const types = Object.values(table.columns);
  const arrays = types.map((type, at) => `$${at + 1}::${type}[]`).join(', ');
  return {
    name: `move ${table.name}`,
    text: `INSERT INTO ${table.name} (${listColumns(table)}) SELECT * FROM unnest(${arrays}) ON CONFLICT DO NOTHING`,
    values: types.map((_, at) => rows.map((values) => values[at])),
  };
}

async function* readServerRows(target: PostgresDatabase, table: MovedTable): AsyncIterable<Values> {
  let after: Values | null = null;
  for (;;) {
    const keys = table.key.map((_, at) => `$${at + 1}`).join(', ');
    const rows: readonly Values[] = (
      await target.ask({
        name: `${after === null ? 'first' : 'next'} of ${table.name}`,
        text: `${buildSelect(table)} WHERE ${table.serverCondition ?? 'true'}
          ${after === null ? '' : `AND (${listKey(table)}) > (${keys})`}
          ORDER BY ${listKey(table)} LIMIT ${maxBatchRows}`,
        values: after ?? [],
      })
    ).map((row) => toValues({ name: table.name, key: table.key, columns: table.columns }, row));
    yield* rows;
    if (rows.length < maxBatchRows) return;
    after = keyOf(table, rows.at(-1)!);
  }
}

function hashFileRows(source: ReadOnlyDatabase, table: MovedTable): MovedRows {
  const tally = createTally();
  for (const values of readFileRows(source, table)) tally.add(values);
  return tally.sum();
}

async function hashServerRows(target: PostgresDatabase, table: MovedTable): Promise<MovedRows> {
  const tally = createTally();
  for await (const values of readServerRows(target, table)) tally.add(values);
  return tally.sum();
}

/** Tables that need not be moved. Workers announce themselves again. */
const notMoved = ['versions', 'queue_workers'];

function countLeft({ source, tables, foreignPrefixes }: MoveSource): StoreMove['left'] {
  const moved = new Set([...notMoved, ...tables.map(({ name }) => name)]);
  const names = [
    ...source.each(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name`,
    ),
  ].map(({ name }) => String(name));
  return names
    .filter((name) => !moved.has(name) && !foreignPrefixes.some((beginning) => name.startsWith(beginning)))
    .map((table) => ({ table, rows: Number(source.get(`SELECT count(*) AS n FROM "${table}"`)!['n']) }))
    .filter(({ rows }) => rows > 0);
}
