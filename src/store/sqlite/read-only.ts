/** Opens a store's file only for reading: the file is not created or migrated, and gets no journal. */
import { existsSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { messageOf, SondeError } from '../../core/index.ts';
import type { Row } from '../database.ts';
import { runsSchema } from './migrations.ts';

export interface ReadOnlyDatabase {
  readonly path: string;
  get(sql: string, ...values: readonly SQLInputValue[]): Row | undefined;
  each(sql: string, ...values: readonly SQLInputValue[]): Iterable<Row>;
  close(): void;
}

/** All reads see the same snapshot of the file. Throws `not_found` and `store_unusable`. */
export function openReadOnly(path: string): ReadOnlyDatabase {
  if (!existsSync(path))
    throw new SondeError('not_found', {
      message: `There is no store ${path}`,
      remedy: 'Name the file of a store.',
    });
  try {
    const db = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
    db.exec('BEGIN; SELECT count(*) FROM sqlite_schema');
    return {
      path,
      get: (sql, ...values) => db.prepare(sql).get(...values),
      each: (sql, ...values) => db.prepare(sql).iterate(...values),
      close: () => db.close(),
    };
  } catch (cause) {
    throw new SondeError('store_unusable', {
      message: `${path} can't be read: ${messageOf(cause)}`,
      remedy: 'Name the file of a store.',
      cause,
    });
  }
}

/**
 * The number of applied steps of the schema of runs, and the names of the pending ones. A missing file has version 0.
 */
export function readSqliteState(path: string): {
  readonly version: number;
  readonly pending: readonly string[];
} {
  const version = existsSync(path) ? readVersion(path) : 0;
  return { version, pending: runsSchema.steps.slice(version).map(({ name }) => name) };
}

function readVersion(path: string): number {
  const db = openReadOnly(path);
  try {
    const has = (column: string) =>
      db.get(`SELECT 1 FROM pragma_table_info('versions') WHERE name = ?`, column) !== undefined;
    if (!has('version')) return 0;
    const row = db.get(
      `SELECT max(version) AS version FROM versions ${has('part') ? `WHERE part = '${runsSchema.name}'` : ''}`,
    );
    return Number(row?.['version'] ?? 0);
  } finally {
    db.close();
  }
}

/** Throws `not_found` and `store_unusable`. */
export function hasTable(path: string, name: string): boolean {
  const db = openReadOnly(path);
  try {
    return db.get(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`, name) !== undefined;
  } finally {
    db.close();
  }
}
