/**
 * Limits a connection to some tables of a file. Before a statement runs, SQLite asks the authorizer about every table
 * that it would use, also through views and triggers: https://sqlite.org/c3ref/set_authorizer.html
 */
import { constants } from 'node:sqlite';
import type { Schema } from '../schema.ts';

type Authorizer = (action: number, first: string | null, second: string | null) => number;

const { SQLITE_DENY, SQLITE_OK } = constants;

/** Actions that are always allowed; SQLite asks separately about each table. */
const allowedActions: ReadonlySet<number> = new Set([
  constants.SQLITE_SELECT,
  constants.SQLITE_TRANSACTION,
  constants.SQLITE_SAVEPOINT,
  constants.SQLITE_RECURSIVE,
  constants.SQLITE_FUNCTION,
]);
const writeActions: ReadonlySet<number> = new Set([
  constants.SQLITE_INSERT,
  constants.SQLITE_UPDATE,
  constants.SQLITE_DELETE,
]);
/** Tables that are needed to read the version of a schema. They contain names, and no content. */
const readableTables: ReadonlySet<string> = new Set([
  'versions',
  'sqlite_master',
  'sqlite_schema',
  'json_each',
  'pragma_table_info',
]);
const readPragmas: ReadonlySet<string> = new Set(['application_id']);
/** Allowed pragmas with an argument: the columns of a table, and whether commits wait for the disk. */
const setPragmas: ReadonlySet<string> = new Set(['table_info', 'synchronous']);

export function createTableAuthorizer(schemas: readonly Schema[]): Authorizer {
  const tables = new Set(
    schemas.flatMap(({ steps }) =>
      steps.flatMap(({ sql }) => [...sql.matchAll(/\bCREATE TABLE (\w+)/g)].map(([, name]) => name)),
    ),
  );
  return (action, firstArgument, secondArgument) => {
    if (allowedActions.has(action)) return SQLITE_OK;
    const name = firstArgument ?? '';
    if (writeActions.has(action)) return tables.has(name) ? SQLITE_OK : SQLITE_DENY;
    if (action === constants.SQLITE_READ)
      return tables.has(name) || readableTables.has(name) ? SQLITE_OK : SQLITE_DENY;
    if (action === constants.SQLITE_PRAGMA)
      return (secondArgument === null ? readPragmas : setPragmas).has(name) ? SQLITE_OK : SQLITE_DENY;
    return SQLITE_DENY;
  };
}
