import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { messageOf, SondeError } from '../core/index.ts';
import type { Schema } from './schema.ts';
import { includeSchema } from './sqlite/include-schema.ts';
import { defaultBusyMs, retryWhileBusy } from './sqlite/retry-while-busy.ts';
import { createTableAuthorizer } from './sqlite/table-authorizer.ts';

export type Row = Readonly<Record<string, SQLOutputValue>>;

/**
 * One connection to one file. Statements are prepared once. Failures of SQLite are thrown as a `SondeError` that names
 * the file.
 */
export interface Database {
  readonly path: string;
  all(sql: string, ...values: readonly SQLInputValue[]): readonly Row[];
  get(sql: string, ...values: readonly SQLInputValue[]): Row | undefined;
  /** Returns the number of changed rows. */
  run(sql: string, ...values: readonly SQLInputValue[]): number;
  /** Inserts rows, and returns the rowid of the last one. */
  insert(sql: string, ...values: readonly SQLInputValue[]): number;
  /**
   * Iterates over results that may not fit in memory. The same SQL must not be used again before the last row was read.
   */
  each(sql: string, ...values: readonly SQLInputValue[]): Iterable<Row>;
  /** Adds a schema to the file, and applies its pending steps. Throws `store_version`, and what `run` throws. */
  include(schema: Schema): void;
  /**
   * Runs `work` in a transaction. Takes the write lock at the start, so that what it reads stays valid. A nested call
   * is part of the outer transaction: if it fails, the outer one must fail too.
   */
  atomic<Value>(work: () => Value): Value;
  /** Like `atomic`, but a nested call that fails is undone alone, and the outer one may continue. */
  undoable<Value>(work: () => Value): Value;
  inTransaction(): boolean;
  /** From now on, every transaction also stores these pending writes. */
  addPendingWrites(carried: PendingWrites): void;
  close(): void;
}

/** Writes that are buffered in memory until the next transaction. */
export interface PendingWrites {
  /** Whether any write is buffered. */
  hasWaiting(): boolean;
  /** Called inside the transaction: `begin` at its start, `finish` before its commit. An exception rolls it back. */
  begin(): void;
  finish(): void;
  onCommit(): void;
  onRollback(): void;
}

export interface DatabaseOptions {
  readonly path: string;
  /** Schemas of this file; more may be included later. */
  readonly schemas: readonly Schema[];
  /** Milliseconds to wait for other writing processes; default 60 s. */
  readonly busyMs?: number | undefined;
  /**
   * Restricts all SQL to the tables of these schemas: SQLite itself refuses other tables, other files and changes of
   * the schema. The schemas must already exist.
   */
  readonly only?: readonly Schema[];
  /** What the file contains, for the advice if it is damaged; default `runs`. */
  readonly holds?: Holding;
}

export type Holding = 'runs' | 'workspace' | 'account';

/** Throws `store_unusable`, `store_corrupt`, `store_version`, `store_locked`. */
export function openDatabase(options: DatabaseOptions): Database {
  const { path, busyMs = defaultBusyMs, holds = 'runs' } = options;
  // Within a transaction there is nothing to wait for: it has the write lock.
  const attempt = <Value>(work: () => Value): Value => {
    try {
      return inTransaction() ? work() : retryWhileBusy(busyMs, work);
    } catch (error) {
      throw translateError(path, holds, error);
    }
  };
  createFile(path);
  const db = openFile(path, holds);
  const inTransaction = () => db.isOpen && db.isTransaction;
  function include(schema: Schema): void {
    for (const requiredSchema of schema.needs ?? []) include(requiredSchema);
    includeSchema(db, schema, path, (work) => retryWhileBusy(busyMs, work));
  }
  try {
    attempt(() => {
      db.exec('PRAGMA journal_mode = WAL');
      // FULL: an acknowledged commit also survives a power failure. Undo data of partial transactions stays in
      // memory. A cache of 32 MB (in KiB) holds a whole batch of writes, which saves writing and re-reading its pages
      // before the commit.
      db.exec('PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32768');
      for (const schema of options.schemas) include(schema);
      if (options.only !== undefined) db.setAuthorizer(createTableAuthorizer(options.only));
    });
  } catch (error) {
    db.close();
    throw error;
  }

  const prepared = new Map<string, Prepared>();
  function prepare(sql: string): Prepared {
    const knownStatement = prepared.get(sql);
    if (knownStatement !== undefined) return knownStatement;
    const newStatement = { statement: db.prepare(sql), changesRows: changesRows(sql) };
    prepared.set(sql, newStatement);
    return newStatement;
  }
  const statement = (sql: string): StatementSync => prepare(sql).statement;

  const pendingWrites: PendingWrites[] = [];
  const atomic: Database['atomic'] = (work) => atomically(db, attempt, pendingWrites, work);
  /** A single writing statement is a transaction, too: buffered writes are stored before it. */
  const runSingle = <Value>(work: () => Value): Value => {
    if (pendingWrites.some((pending) => pending.hasWaiting()) && !inTransaction()) atomic(() => {});
    return attempt(work);
  };
  const chooseAttempt = (sql: string): Attempt =>
    attempt(() => prepare(sql)).changesRows ? runSingle : attempt;
  return {
    path,
    all: (sql, ...values) => chooseAttempt(sql)(() => statement(sql).all(...values)),
    get: (sql, ...values) => chooseAttempt(sql)(() => statement(sql).get(...values)),
    run: (sql, ...values) => runSingle(() => Number(statement(sql).run(...values).changes)),
    insert: (sql, ...values) => runSingle(() => Number(statement(sql).run(...values).lastInsertRowid)),
    each: (sql, ...values) => attempt(() => statement(sql).iterate(...values)) as Iterable<Row>,
    include: (schema) => attempt(() => include(schema)),
    atomic,
    undoable: (work) => (db.isTransaction ? withSavepoint(db, attempt, work) : atomic(work)),
    inTransaction,
    addPendingWrites: (writes) => pendingWrites.push(writes),
    close: () => db.isOpen && db.close(),
  };
}

interface Prepared {
  readonly statement: StatementSync;
  readonly changesRows: boolean;
}

/** A query with RETURNING changes rows. */
const changesRows = (sql: string): boolean => /\bRETURNING\b/.test(sql);

type Attempt = <Value>(work: () => Value) => Value;

function atomically<Value>(
  db: DatabaseSync,
  attempt: Attempt,
  pendingWrites: readonly PendingWrites[],
  work: () => Value,
): Value {
  if (db.isTransaction) return work();
  attempt(() => db.exec('BEGIN IMMEDIATE'));
  let value: Value;
  try {
    for (const pending of pendingWrites) pending.begin();
    value = requireSync(work());
    for (const each of pendingWrites) each.finish();
    attempt(() => db.exec('COMMIT'));
  } catch (error) {
    try {
      // SQLite has already rolled back after some failures, such as a full disk.
      if (db.isTransaction) attempt(() => db.exec('ROLLBACK'));
    } finally {
      for (const each of pendingWrites) each.onRollback();
    }
    throw error;
  }
  for (const each of pendingWrites) each.onCommit();
  return value;
}

/** The work of a transaction must be synchronous: throws `internal` for a promise. */
export function requireSync<Value>(value: Value): Value {
  if (!(value instanceof Promise)) return value;
  throw new SondeError('internal', {
    message: 'The work of a transaction returned a promise',
    remedy: 'This is a bug of the caller: await first, then write.',
  });
}

function withSavepoint<Value>(db: DatabaseSync, attempt: Attempt, work: () => Value): Value {
  attempt(() => db.exec('SAVEPOINT part'));
  try {
    return work();
  } catch (error) {
    if (db.isTransaction) attempt(() => db.exec('ROLLBACK TO part'));
    throw error;
  } finally {
    if (db.isTransaction) attempt(() => db.exec('RELEASE part'));
  }
}

/** Creates the file so that only its owner can read it, since it holds questions and material. */
function createFile(path: string): void {
  if (path === ':memory:') return;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // `wx`, since opening and closing a file that SQLite has open in this process would drop SQLite's locks.
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unusableError(path, error);
  }
}

const SQLITE_BUSY = 5;

function primaryCode(error: unknown): number | null {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === 'number' ? code & 0xff : null;
}

function openFile(path: string, holds: Holding): DatabaseSync {
  try {
    return new DatabaseSync(path, { timeout: 0 });
  } catch (error) {
    throw translateError(path, holds, error);
  }
}

/** A workspace holds a person's notes: its advice is never to move the file away. */
const adviceIfDamaged: Readonly<Record<Holding, (path: string) => string>> = {
  runs: (path) =>
    `Move ${path} away, with ${path}-wal and ${path}-shm, and start again; earlier runs are then gone.`,
  account: (path) =>
    `Restore it from a backup, or move ${path} away, with ${path}-wal and ${path}-shm; the memory and the roles of all workspaces are then gone.`,
  workspace: (path) =>
    `It holds notes: keep it, with ${path}-wal and ${path}-shm beside it. sonde world check says what is damaged; sonde world salvage ${path} OUT saves what can be read.`,
};

/** SQLite's primary result codes: https://sqlite.org/rescode.html */
function translateError(path: string, holds: Holding, error: unknown): unknown {
  switch (primaryCode(error)) {
    case SQLITE_BUSY:
    case 6: // LOCKED
      return new SondeError('store_locked', {
        message: `Another process has been writing to ${path} for too long`,
        remedy: 'Wait for it to end, or end it, and try again.',
        cause: error,
      });
    case 11: // CORRUPT
    case 26: // NOTADB
      return new SondeError('store_corrupt', {
        message: `${path} is damaged, or is not a database: ${messageOf(error)}`,
        remedy: adviceIfDamaged[holds](path),
        cause: error,
      });
    case 23: // AUTH
      return new SondeError('store_unusable', {
        message: `This process may not reach that part of ${path}: ${messageOf(error)}`,
        remedy: 'Ask the process that may.',
        cause: error,
      });
    case 3: // PERM
    case 8: // READONLY
    case 10: // IOERR
    case 13: // FULL
    case 14: // CANTOPEN
      return unusableError(path, error);
    default:
      return error;
  }
}

function unusableError(path: string, error: unknown): SondeError {
  return new SondeError('store_unusable', {
    message: `The store ${path} cannot be written: ${messageOf(error)}`,
    remedy: 'Make the directory writable, free some space, or name another file for the store.',
    cause: error,
  });
}
