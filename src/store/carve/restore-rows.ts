/** Inserts carved rows into a fresh database with the same tables. */
import type { SQLInputValue } from 'node:sqlite';
import type { Database } from '../database.ts';
import type { CarvedRow, CarveResult } from './carve.ts';
import type { CarvedValue } from './cells.ts';

export interface RestoredRows {
  /** The number of inserted rows, by table. */
  readonly restored: Readonly<Record<string, number>>;
  /** The number of rows that fit no table, or that their table refused. */
  readonly refused: number;
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  /** Whether its value is the row number. */
  readonly rowid: boolean;
}

/** `tables`: the tables to fill; rows of other tables are left out. Foreign keys are not checked. */
export function restoreRows(db: Database, { rows }: CarveResult, tables: readonly string[]): RestoredRows {
  const columns = new Map(tables.map((table) => [table, readColumns(db, table)]));
  const restored: Record<string, number> = {};
  let refused = 0;
  for (const row of rows) {
    if (row.table !== null && !columns.has(row.table)) continue;
    const table = row.table ?? findTable(row, columns);
    if (table !== null && insertRow(db, table, columns.get(table)!, row))
      restored[table] = (restored[table] ?? 0) + 1;
    else refused += 1;
  }
  return { restored, refused };
}

function readColumns(db: Database, table: string): readonly Column[] {
  const columnInfo = db.all('SELECT name, type, "notnull" AS required, pk FROM pragma_table_info(?)', table);
  const hasRowNumber =
    db.get('SELECT 1 FROM pragma_table_list WHERE name = ? AND wr = 0', table) !== undefined;
  const keys = columnInfo.filter(({ pk }) => Number(pk) > 0);
  const rowidColumn =
    hasRowNumber && keys.length === 1 && keys[0]!['type'] === 'INTEGER' ? keys[0]!['name'] : null;
  const orderedColumns = hasRowNumber
    ? columnInfo
    : [
        ...keys.toSorted((a, b) => Number(a['pk']) - Number(b['pk'])),
        ...columnInfo.filter(({ pk }) => Number(pk) === 0),
      ];
  return orderedColumns.map(({ name, type, required }) => ({
    name: String(name),
    type: String(type),
    required: Number(required) === 1 && name !== rowidColumn,
    rowid: name === rowidColumn,
  }));
}

/** The only table whose columns fit the row; null if there is none or several. */
function findTable(row: CarvedRow, columns: ReadonlyMap<string, readonly Column[]>): string | null {
  const fittingTables = [...columns].filter(([, each]) => fitsColumns(row, each));
  return fittingTables.length === 1 ? fittingTables[0]![0] : null;
}

function fitsColumns({ rowid, values }: CarvedRow, columns: readonly Column[]): boolean {
  return (
    values.length === columns.length &&
    columns.every(({ type, required, rowid: isRowid }, index) => {
      const value = values[index]!;
      if (value === null) return isRowid ? rowid !== null : !required;
      return !isRowid && acceptsValue(type, value);
    })
  );
}

const acceptsValue = (type: string, value: Exclude<CarvedValue, null>): boolean =>
  type === 'ANY' || type === typeOf(value) || (type === 'REAL' && typeof value === 'number');

function typeOf(value: Exclude<CarvedValue, null>): string {
  if (typeof value === 'string') return 'TEXT';
  if (typeof value === 'bigint') return 'INTEGER';
  return typeof value === 'number' ? (Number.isInteger(value) ? 'INTEGER' : 'REAL') : 'BLOB';
}

/** Inserts a row, unless there is one with its key: rows with a known table come first, and stay. */
function insertRow(db: Database, table: string, columns: readonly Column[], row: CarvedRow): boolean {
  if (row.values.length > columns.length) return false;
  const givenColumns = columns.slice(0, row.values.length);
  const values = givenColumns.map(
    ({ rowid }, index) => (rowid ? row.rowid : row.values[index]!) as SQLInputValue,
  );
  const names = givenColumns.map(({ name }) => `"${name}"`).join(', ');
  const placeholders = givenColumns.map(() => '?').join(', ');
  try {
    return db.run(`INSERT OR IGNORE INTO "${table}" (${names}) VALUES (${placeholders})`, ...values) > 0;
  } catch {
    // The row was damaged: a value has the wrong type, or violates a constraint.
    return false;
  }
}
